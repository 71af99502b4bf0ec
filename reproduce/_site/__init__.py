"""What the site needs of our code: the macros, the math, the keys. Imports neither torch nor a question."""
