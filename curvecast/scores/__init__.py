"""How good is a forecast?

metrics         likelihood, CRPS, squared error, coverage
evaluate        any forecaster on any curves
curve_by_curve  what one answer was worth, for each curve
baselines       what every model must beat
fits            curves fitted by least squares
stopping        when is a run hopeless
"""
