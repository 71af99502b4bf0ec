"""Ways of measuring that questions of several chapters share.

real_curve   how a real curve is put to every forecaster: its points and unit, what is given and what is hidden
own_runs     curves from the rows of own_curves         tables_of_others  curves that others measured, by table and side
forecasters  who forecasts                              scores_by_share   what that is worth, by the share that is given
pools_of_real_runs   runs of one task that compete      stopping_rules    who stops which run, and the rows of that
timing   programs in turns
asked_when_needed    forecasts, made as decisions need  times_sooner      how many times sooner a rule is than another
"""
