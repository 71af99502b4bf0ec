"""Real learning curves that anyone can make: models trained on the data sets that come with scikit-learn.

tasks        the data sets as tasks, a third of each held out
plan         one row of settings a run, drawn from one seed
measured     what is kept of a run: held-out accuracy and log-loss, step by step
schedules    what becomes of a learning rate from epoch to epoch
mlp_bank     many networks side by side, in batched products
passes       scikit-learn's networks and linear models, pass by pass over the data
ensembles    boosting and forests, tree by tree          sample_size  scores against the number of training rows
factory      the runs of a plan, trained
"""
