"""Priors beside the paper's, each a frozen dataclass with the methods of `curves.prior.Prior`."""
