"""The released model in use, and real runs.

shipped             how good it is                  finished_bands      what your own finished runs buy
stopping_for_real   does stopping hopeless runs save epochs, and who picks the run that will win
search_with_pruner  what a pruner saves in a small search
when_reached        when a run reaches a value  improvement         is it more than noise
own_record          are smooth runs forecast better when their own record narrows the intervals
draw_the_rest       who draws the rest of a curve better: you, a network, or Bayes’ rule
_chosen             patience, tuned on other tasks, and when each rule reaches the final regret of never stopping
_ship               train the released model, and what pages and tests have of it      _card   write its MODEL_CARD.md
"""
