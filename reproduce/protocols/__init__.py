"""Ways of measuring that questions of several chapters share.

real_curve    how a real curve is put to every forecaster     own_runs         curves from the rows of own_curves
forecasters   who forecasts
scores_by_share      what forecasts are worth, by the share of the curve that is given
pools_of_real_runs   runs of one task that compete            stopping_rules   who stops which run, and the rows of that
benchmarks    curves that others measured, nine benchmarks    empirical_prior  a training on real curves
asked         what an answer is worth, at any epochs      timing           programs in turns
beliefs       networks of several priors; many comparisons
"""
