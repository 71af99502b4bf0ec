"""Does a pruner that forecasts save epochs in a search with Optuna?

question  measures, compares and shows    searches  small networks on the digits, and searches among them
"""
