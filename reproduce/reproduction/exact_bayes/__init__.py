"""What does a network lose to exact Bayes?

question        asks, shows and claims
forecasters     the judge, the paper's chains and a network on the same curves
paired_methods  differences of two of them
calibration     is a forecast honest
scaling_law     what training longer buys
checks_of_posterior  may the judge be believed
"""
