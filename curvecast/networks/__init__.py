"""The predictive density, and the networks that predict it.

bars     the density: buckets and two tails           port       LC-PFN from torch's own layers
mixture  bucket masses from a mixture of Gaussians    encodings  positional encodings, by name
inputs   numbers to tokens
model    the PFN
layer    one layer, and its masks; which input an output depends on
heads    from query tokens to the density; the interface of a trainable network
backbones/  other sequence models with the same head
"""
