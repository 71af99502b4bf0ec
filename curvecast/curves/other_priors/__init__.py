"""Priors beside the paper's, each a frozen dataclass with the methods of `curves.prior.Prior`.

basis_curves    three of all eleven basis curves of the paper's code
random_network  a random network of the epoch             causal_graph  settings and curve of a run from one random graph
mixture         of several priors                         gaussian_process
exact_predictive   predictives in closed form, of finite priors too; the paper's condition on a clean curve
"""
