"""What does a network lose to exact Bayes?

question             asks, shows and claims
forecasters          the exact posterior, the paper's chains and a network on the same curves
checks_of_posterior  is the computation of the posterior exact enough
"""
