"""Priors beside the paper's, each a frozen dataclass with the methods of `curves.prior.Prior`.

basis_curves    three of all eleven basis curves of the paper's code
random_network  a random network of the epoch             causal_graph  settings and curve of a run from one random graph
rejection       the paper's condition on a clean curve    mixture       of several priors

With a predictive in closed form, which is an exact_predictive: finite, gaussian_process, and mixtures of them.
"""
