"""What is told in a terminal.

progress  what a run tells while it works
todo      what is missing, and what it costs
"""
