"""New data: what real learning curves say.

own_curves    what real curves look like: about a thousand that we train ourselves
real_curves   how good are forecasts of real curves that others measured?
_own_runs     rows of own_curves as arrays, with bounds and direction, for the questions that read them
_protocol     how a real curve is put to every forecaster
_networks     those that are trained to be compared
_forecasters  who forecasts
_scored       what that was worth
"""
