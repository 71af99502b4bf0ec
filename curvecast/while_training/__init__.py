"""While it trains: where a run will end, and whether it could stop. It advises, and acts only if asked to.

stopper     one run, value by value                 check      where the run will end
never_harm  no fault of ours ends a training        telling    lines for a person, each complaint once
measured    what a training hands over, as numbers  kept       state in a file
watched     one value of a training, by its name    rank_zero  several processes: the first decides
whole_runs  those that calibrate the bands of the others
for_optuna  for_hugging_face  for_lightning  for_keras  for_ray_tune: callbacks, where people train
lightning_entry_point  none of them unless CURVECAST_STOPPER says so
"""
