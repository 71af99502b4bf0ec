"""The error that a user can act on."""


class UserError(ValueError):
    """One sentence that says what is wrong, where, and what to do. Command lines print it and exit with 2."""

    def __init__(self, sentence: str):
        super().__init__(visible(sentence))


def visible(text: str) -> str:
    """Without control characters: what a file contains may be meant to command the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
