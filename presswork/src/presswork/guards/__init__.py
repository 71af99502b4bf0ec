"""Guards for every blog: `pytest --presswork` runs them beside the blog's own tests.

plugin.py   the option, and the marks `slow` and `weekly`
numbers.py  measured at the scale of tests, each question gives its golden numbers, and declares what it does
answers.py  what is committed below figures/ is whole, of today's settings, and follows from its rows; so do markers
claims.py   any part may be missing, each claim hangs on its rows, and shows no number that denies its answer
"""
