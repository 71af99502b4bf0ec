"""Real runs: random laws for what happens to a curve from its first epoch to its last.

growth     how a run improves, and gets worse: overfitting, collapse; smooth wiggles and noise
real_runs  all of these together, as a score between 0 and 1 or as a loss
rates, planned_runs   learning rates and their effects, and runs on which they have their effects
"""
