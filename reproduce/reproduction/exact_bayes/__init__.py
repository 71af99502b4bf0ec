"""What does a network lose to exact Bayes?

question        asks, shows and claims
forecasters     the exact posterior, the paper's chains and a network on the same curves
paired_methods  differences of two of them
calibration     coverage and where the future points fall in a forecast
scaling_law     what training longer buys
checks_of_posterior  is the computation of the posterior exact enough
"""
