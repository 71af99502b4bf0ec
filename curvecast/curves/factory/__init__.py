"""Real learning curves that anyone can make: models trained on the data sets that come with scikit-learn.

tasks        the data sets as tasks, a third of each held out
measured     what is kept of a run: held-out accuracy and log-loss, step by step
schedules    what becomes of a learning rate from epoch to epoch
side_by_side networks of one shape in batched products; mlp_bank: trained so, each with settings of its own
plan         one row of settings a run, drawn by dice, which depend on a name alone
passes       scikit-learn's networks and linear models, pass by pass over the data; ensembles: tree by tree
sample_size  scores against the number of training rows; factory: the runs of a plan, trained
"""
