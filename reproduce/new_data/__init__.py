"""New data: what real learning curves say.

real_curves   how good are forecasts of real curves?
_protocol     how a real curve is put to every forecaster
_forecasters  who forecasts
_scored       what that was worth
"""
