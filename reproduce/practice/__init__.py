"""The released model in use, and real runs.

shipped    how good it is                                real_runs  how well it forecasts real runs
serving    how long a forecast takes                     callback_cost  what a check costs while a run trains
light      how large it is, and how soon it starts       in_browser     how long a forecast takes in the browser
finished_bands      what your own finished runs buy      search_with_pruner  what a pruner saves in a small search
stopping_for_real   does stopping hopeless runs save epochs on real runs, with _other_settings of the rule as well
stopping_variants   do calibrated intervals or sampled futures help      which_run_wins  who picks the run that will win
_chosen    patience, tuned on other tasks, and when each rule reaches the final regret of never stopping
_ship, _card, _reference_forecasts   train the released model, write its MODEL_CARD.md, and what tests compare it with
"""
