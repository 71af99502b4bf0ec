"""How good is the learning-curve model of DeepHyper on our own runs, compared with the released model and simpler rivals?

question     asks and shows
forecasters  how each of them is asked for a forecast, timed and scored
"""
