"""What runs the plan of a blog.

engine   one run under our own lock, with the time that is left     workers  the jobs on one machine, each in a fork
"""
