"""The predictive density, and the networks that predict it.

bars     the density: buckets and two tails              query_network  the interface of a trainable network
mixture  bucket masses from a mixture of Gaussians       port           LC-PFN from torch's own layers
inputs   numbers to tokens                               dependence     which input an output depends on
model    the PFN                                         encodings      positional encodings, by name
layer    one layer, and its masks                         relative       encodings that act on distances
heads    from query tokens to the density
backbones/  other sequence models with the same head
"""
