"""While it trains: what a run will come to, and whether it could stop. It advises; it acts where it is told to.

stopper     one run, value by value          look        what is said after a value
never_harm  no fault of ours ends a training telling     lines for a person, each complaint once
"""
