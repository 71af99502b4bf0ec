"""From a prior to weights.

batches    the config of a training, and the batch of each step; one for runs with missing epochs
endings    targets drawn from the exact posterior
steps      one training step; Adam, and orthogonalised momentum for matrices
train      `trained(config)` is the only cache of weights, `load(path)` reads a file; they are asked for densities
runs       a training for runs whose planned rate may be known; scaling_curves   one on curves over decades of steps
"""
