"""A toy of the library: the same names, no network."""

_FROM = {"wobble": "noise"}
