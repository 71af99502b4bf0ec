"""What does each property of the new prior improve on real curves, and what does it cost on the paper’s own?

variants    the networks that are compared: one thing differs from the new prior's
estimates   scores -> ratios to those of the new prior's network, and costs on the paper's curves
question    asks and shows
"""
