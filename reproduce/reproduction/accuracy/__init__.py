"""How good are the forecasts?

question           asks and shows
second_set         a test set that has chosen nothing, and the luck of a training
order_of_measures  does the measure decide who is better
claims             what holds
"""
