"""question asks; trained: forecasters and scores; whole: autoencoders of whole curves; stated: claims; picture: figures."""
