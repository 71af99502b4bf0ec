"""Tables: a small TabPFN, which classifies the rows of a table after one pass over it.

labels           from scores to classes           training    what it is trained on, and for how long
random_networks  tables of random networks        released    the weights that come along (weights/)
causal_tables    tables of random causal graphs   classifier  `TableClassifier`, as scikit-learn wants it
prior            both in their shares, made ugly  network     from cells to the probabilities of classes
"""
