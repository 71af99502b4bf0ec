"""While it trains: where a run will end, and whether it could stop. It advises, and acts only if asked to.

stopper     one run, value by value
check       where the run will end; no fault of ours ends a training; lines for a person
watched     one value of a training, by its name; state in a file, and whole runs that calibrate others
for_optuna  for_hugging_face  for_lightning  for_keras  for_ray_tune: callbacks, where people train
"""
