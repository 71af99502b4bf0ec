"""The prior of real runs, as laws: what happens to a curve between its first epoch and its last.

dice       numbers by chance, one a curve
growth     how a run gets better
schedule   what the learning rate does to it: steps, an annealed end
decline    how it gets worse again: overfitting, collapse
noise      smooth wiggles, noise with memory and with a size that changes
real_runs  all of it, as a score between 0 and 1 or as a loss
"""
