"""What does a network learn from a prior?

what_it_converges_to   the exact predictive of priors that have one in closed form, and the posterior over priors
_distance_to_exact     the divergence of networks from the exact predictive
_posterior_of_priors   which of four priors, by Bayes' rule and by a network
_which_prior           the network that names the prior of a curve
"""
