"""How good are the forecasts?

question           settings, measurements, figures and tables
second_set         a test set on which nothing was chosen, and seed-to-seed variation
order_of_measures  does the better method depend on the measure
claims             the claims
"""
