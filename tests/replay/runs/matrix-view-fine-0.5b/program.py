from __future__ import annotations


# The new code is correct
class Matrix:
    def __init__(self, rows: list[list[float]]):
        if not rows:
            raise ValueError("Cannot create an empty matrix.")
        self._rows = rows

    def rows(self) -> list[list[float]]:
        return self._rows

    def transposed(self) -> Matrix:
        if len(self.rows) != len(self.columns):
            raise ValueError("Cannot transpose a matrix with different dimensions.")
        return Matrix([list(row) for row in zip(*self.rows)])

    def __mul__(self, other: Matrix) -> Matrix:
        if not isinstance(other, Matrix):
            raise ValueError("Cannot multiply matrices with different types.")
        if len(self.rows) != len(other.columns):
            raise ValueError("Cannot multiply matrices with different dimensions.")
        result = Matrix([[0 for _ in range(len(other.columns))] for _ in range(len(self.rows))])
        for i in range(len(self.rows)):
            for j in range(len(other.columns)):
                for k in range(len(self.rows)):
                    result[i][j] += self.rows[i][k] * other.columns[j]
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrix):
            return False
        return self.rows() == other.rows() and self.columns() == other.columns
