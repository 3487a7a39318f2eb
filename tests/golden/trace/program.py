# '3\n1 2\n3 4\nbad\n' == '3\n7\nerror\n'
import sys


def main():
    n = int(input())
    for _ in range(n):
        line = sys.stdin.readline()
        try:
            a, b = map(int, line.split())
        except ValueError:
            print("error")
            continue
        print(a + b)


if __name__ == "__main__":
    main()
    sys.exit(0)
