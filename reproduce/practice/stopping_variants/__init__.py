"""Does the rule for stopping gain by calibrated bands, or by sampled futures?

question    asks, measures, shows and claims
calibrated  forecasts whose bands keep what finished runs say of them
"""
