"""Tables: a small TabPFN, which classifies the rows of a table after one pass over it.

prior       tables of random networks and of causal graphs, made ugly
training    what it is trained on, for how long; the weights that come along (weights/)
network     from cells to the probabilities of classes
classifier  `TableClassifier`, as scikit-learn wants it
"""
