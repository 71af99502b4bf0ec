"""The questions of the toy."""
