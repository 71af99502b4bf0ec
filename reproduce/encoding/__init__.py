"""Do positional encodings help a forecaster of learning curves?

encodings         which encodings help, beside the epoch and in its place
encoding_shapes   what encodings look like, and their properties
stepwise          forecasts step by step, which read their own medians
_encoded_network  a PFN with an encoding, given the epoch or not
_cells            the networks of the experiment: names, scores, differences, a figure
_properties       of each encoding, each tested on a tiny network
"""
