def split_text(text: str) -> list[str]:
    words = text.split()
    return words


def distinct_letters(text: str, words: list[str]) -> int:
    return len(set(text.lower()))


def reverse_word(text: str, words: list[str]) -> int:
    return max(score for word in words if word == text[::-1])


def best_word(text: str) -> int:
    words = split_text(text)
    score = distinct_letters(text, words)
    new_score = reverse_word(text, words)
    return new_score
