"""The predictive density, and the networks that write it.

bars     the density: buckets and two tails              query_network  what any network must have
buckets  mass within them                                port           LC-PFN in stock layers of torch
mixture  where a mixture says how much each bucket has   masks          who may see whom
inputs   numbers to tokens                               dependence     which input an output depends on
model    reads the beginning of a curve                  encodings      positional encodings, by name
layer    one layer of it                                 added          encodings that are added to a token
heads    and writes the density                          relative       encodings that act on distances
backbones/  other sequence models with one head
"""
