"""question asks and states; trained: forecasters and their scores, whole-curve autoencoders; picture: both trade-offs."""
