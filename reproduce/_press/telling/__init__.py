"""What is printed in a terminal.

progress  what a run prints while it works    at_work   how far each job is    schedule  the time that is left
todo      what is missing, and what it costs    failures  what failed, a sentence each
side_by_side  ledgers of reproductions    cost   what --cost tells
"""
