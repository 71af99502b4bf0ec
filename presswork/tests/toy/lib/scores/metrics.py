"""A helper that measurements import and trainings do not."""

BEHAVIOUR = 1


def score(x):
    # a comment
    return x + 1
