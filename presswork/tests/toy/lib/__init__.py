"""A toy of the library: the same names, no network."""

__version__ = "0.0.1"
_FROM = {"wobble": "noise"}
