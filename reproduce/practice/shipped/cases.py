"""Runs with holes: which epochs are logged, of so many observed ones."""

HOLES = (
    "every second",
    "every fifth",
    "every tenth",
    "a random half",
    "without the first five",
    "the last alone",
)
SEEN = 20  # epochs, of which runs with holes have some
