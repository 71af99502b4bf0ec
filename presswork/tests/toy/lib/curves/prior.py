"""What a toy model learns."""

BEHAVIOUR = 1


def slope():
    return 2.0
