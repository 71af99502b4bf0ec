"""New data: how good are forecasts of real learning curves, and what should a prior contain?

own_curves   about a thousand real runs that anyone can train          own_forecasts   how good are forecasts of these runs?
real_curves  and of published curves?     missing_in_prior  what do published curves have that the paper's prior lacks?
prior_features   what each property of the new prior improves          told_schedule    does giving the planned rate help?
sample_sizes   how well is accuracy over training rows forecast?   flat_beginnings  do runs that have not moved yet learn?
published_plans  does it help before a planned drop?
_run_tasks, _run_bank, _run_plan, _run_training   the factory of our own runs
_our_runs   which curves, of which kind   _planned_forecasts   a network with and without the plan
_networks, _forecasters    which forecasters, in which parts of an answer           _warned   does a warning come first?
_scores_by_benchmark, _factors, _beside   scores in panels and tables; ratios of two methods; more input than values
"""
