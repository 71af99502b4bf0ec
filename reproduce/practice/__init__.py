"""The network that ships, and real runs.

shipped    how good it is                                real_runs  what real runs look like to it
serving    how long a forecast takes                     callback_cost  what a look costs while it trains
light      how large it is, and how soon it starts       in_browser     how long a forecast takes in the browser
finished_bands      what your own finished runs buy      search_with_pruner  what a pruner saves in a small search
stopping_for_real   does stopping hopeless runs save epochs where the runs are real
stopping_variants   do calibrated bands or sampled futures help it
_chosen    patience, tuned on other tasks, and when each rule reaches the final regret of never stopping
"""
