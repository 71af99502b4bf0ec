"""Real learning curves that anyone can make: models trained on the data sets that come with scikit-learn.

tasks        the data sets as tasks, a third of each held out
measured     the record of a run: held-out accuracy and log-loss, step by step
schedules    learning-rate schedules
side_by_side networks of one shape in batched products; mlp_bank: trains them, each with its own settings
plan         one row of settings for each run, drawn by dice: random numbers that depend only on a key
passes       scikit-learn's networks and linear models, epoch by epoch; ensembles: tree by tree
sample_size  scores against the number of training rows; factory: trains the runs of a plan
"""
