"""What does a prior of real runs improve on real curves, and what does it cost on the paper's own?

question   asks, and has the variants of the new prior
loud       three properties of the simulator's noise left out together
beliefs    other beliefs
"""
