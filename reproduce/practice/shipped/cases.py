"""How the network that ships is asked: runs with holes of these kinds, within so many epochs."""

HOLES = (
    "every second",
    "every fifth",
    "every tenth",
    "a random half",
    "without the first five",
    "the last alone",
)
SEEN = 20  # epochs, of which runs with holes show some
