"""New data: what real learning curves say, and what a prior has to hold for that.

own_curves   about a thousand real runs that anyone can train          own_forecasts   how good are forecasts of them?
real_curves  and of curves that others measured?     missing_in_prior  what have these that the paper's prior has not?
prior_features   what each law of the new prior buys
told_schedule    does it help to be told the planned rate?   sample_sizes   and accuracy over training rows?
deephyper_model  and beside the learning-curve model of another program?
_kinds, _chosen_runs, _chosen    which curves: of which kind, in which order; which of the tables of others
_networks, _forecasters    who is asked, in which parts
_cells, _panels, _score_tables   scores of rows of a report; as pictures, as tables
_beside, _factors, _warned   who is told more than values; by which factor two methods differ; does a warning come first?
"""
