"""What runs the plan of a blog: `engine` is one run under our own lock, `workers` its jobs, each in a fork."""
