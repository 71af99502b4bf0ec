"""Real runs: random laws for what happens to a curve from its first epoch to its last.

dice       random numbers, one for each curve     growth     how a run improves
schedule   effects of the learning rate: steps, annealing
decline    how a run gets worse: overfitting, collapse
noise      smooth wiggles, autocorrelated noise with a changing scale
real_runs  all of these together, as a score between 0 and 1 or as a loss
rates, planned_runs   planned learning rates, and runs on which they have their effects
"""
