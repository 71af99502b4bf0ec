"""New data: what real learning curves say.

own_curves    what real curves look like: about a thousand that we train ourselves
own_forecasts, real_curves   how good are forecasts of them, and of curves that others measured?
_own_runs, _kinds      rows of own_curves as arrays, with bounds and direction; what kind of curve a run is
_protocol     how a real curve is put to every forecaster
_networks, _forecasters      those that are trained to be compared; all who forecast
_scored, _cells, _panels, _score_tables      scores of curves, of rows of a report; as pictures, as tables
"""
