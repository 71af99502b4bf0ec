"""Do positional encodings help a forecaster of learning curves?

encodings            which encodings help, beside the epoch and in its place
encoding_shapes      what encodings look like, and their properties
stepwise             forecasts step by step, which read their own medians
_encoded_network     a PFN with an encoding, given the epoch or not
_unpractised_epochs  the tests, also on grids of epochs that do not occur in training
_cells               the networks of the experiment: names, scores, differences, two figures
"""
