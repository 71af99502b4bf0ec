"""What runs the plan of a blog, and a queue beside other work.

engine   one run under our own lock, with the time that is left     workers  the jobs on one machine, each in a fork
queue    what takes days, at the lowest priority
"""
