"""How good is the learning-curve model of DeepHyper on our own runs, beside the network that ships and simpler rivals?

question     asks, shows and claims
forecasters  how each of them is asked for a forecast, timed and scored
"""
