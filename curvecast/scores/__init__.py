"""How good is a forecast?

metrics         likelihood, CRPS, squared error, coverage
evaluate        any forecaster on any curves, of the prior or from a file
quantile_scores what quantiles alone tell
baselines       what every model must beat    kernel_regression  a kernel, in closed form
fits            one family of curves fitted by least squares
stopping        when is a run hopeless; rules that keep the best few at each rung
pools_of_runs   what rules for stopping train, and how soon they find it
"""
