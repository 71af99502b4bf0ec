"""The predictive density, and the networks that predict it.

bars     the density: buckets and two tails              query_network  the interface of a trainable network
buckets  the density within a bucket                     port           LC-PFN from torch's own layers
mixture  bucket masses from a mixture of Gaussians
inputs   numbers to tokens                               dependence     which input an output depends on
model    the PFN                                         encodings      positional encodings, by name
layer    one layer, and its masks                         added          encodings that are added to a token
heads    from query tokens to the density                relative       encodings that act on distances
backbones/  other sequence models with the same head
"""
