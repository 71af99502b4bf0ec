"""New data: how good are forecasts of real learning curves, and what should a prior contain?

own_curves   about a thousand real runs that anyone can train          own_forecasts   how good are forecasts of these runs?
real_curves  and of published curves?     missing_in_prior  what do published curves have that the paper's prior lacks?
prior_features   what the new prior improves and costs, beside other beliefs       told_schedule   does a planned rate help?
_run_tasks, _run_bank, _run_plan, _run_training   the factory of our own runs    _our_runs   which curves, of which kind
_forecasters    which forecasters, in which parts of an answer           _warned   do warnings come first?
_planned_forecasts   a network with and without the plan   _beside   more input than values
_scores   by benchmark, in panels and tables; ratios of two methods    _nine_quantiles   Fracast-0
"""
