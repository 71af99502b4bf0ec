"""Tables: a small TabPFN, which classifies the rows of a table after one pass over it.

labels           from scores to classes           network     cells to the probabilities of classes
random_networks  tables of random networks        training    what it is trained on, and for how long
causal_tables    tables of random causal graphs   classifier  `TableClassifier`, as scikit-learn wants it
prior            both in their shares, made ugly  weights/    those that come along
"""
