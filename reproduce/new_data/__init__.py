"""New data: what real learning curves say.

own_curves   what real curves look like: about a thousand that we train ourselves
_own_runs    their rows as arrays, with bounds and direction, for the questions that read them
"""
