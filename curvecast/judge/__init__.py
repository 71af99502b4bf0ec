"""Exact Bayes: what a network should have said.

posterior  of the prior's parameters, given a beginning
nearest    the curve of the prior that lies nearest
start      where chains begin
mcmc       chains for many posteriors at once
exact      the judge: a forecast by the exact posterior
moves      of its population
linear     what is linear in the posterior
cloud      the density that many curves give together
"""
