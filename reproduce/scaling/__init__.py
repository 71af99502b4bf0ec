"""Scaling curves: losses and errors over decades of steps, data or parameters.

scaling_table  a public benchmark: printed rows, rules, a fit, a Gaussian process, our networks
_rules         forecasts without a network: last value, a fitted power law, a Gaussian process
"""
