"""From a prior to weights.

batches    what a training sees at each step
endings    what else the posterior says could have come
steps      what it does with it
optimiser  Adam, and orthogonalised momentum for matrices
train      `trained(config)` is the only cache of weights, `load(path)` reads a file
gaps       a training for runs with holes
"""
