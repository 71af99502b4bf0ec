"""The error that a user can act on."""


class UserError(ValueError):
    """One sentence that says what is wrong, where, and what to do. Command lines print it and exit with 2."""
