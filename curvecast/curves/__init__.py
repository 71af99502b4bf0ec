"""Where curves come from.

prior          what curves we believe in: sample them
outside_prior  curves of the prior, changed in one thing that it does not hold
"""
