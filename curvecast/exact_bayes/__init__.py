"""Exact Bayes: the forecast that a network approximates.

posterior  of the prior's parameters, given a beginning
nearest    the curve of the prior that lies nearest
mcmc       chains for many posteriors at once, and where they begin
exact      the exact posterior of a curve, and its forecast
moves      of its population, and what is linear in it; the density that many curves give together
"""
