"""New data: what real learning curves say.

own_curves    what real curves look like: about a thousand that we train ourselves
real_curves   how good are forecasts of real curves that others measured?
missing_in_prior  what have real curves that the paper's prior has not?
_own_runs     rows of own_curves as arrays, with bounds and direction, for the questions that read them
_chosen       which curves of which tables
_protocol     how a real curve is put to every forecaster
_networks, _forecasters, _scored   who forecasts, and what that is worth
"""
