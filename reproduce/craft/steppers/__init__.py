"""Which optimiser is fastest, on a bowl and on a network?

question  settings, measurement, table, claims   bowl    races of ten methods on a quadratic bowl
methods   six optimisers, rates and trainings    figure  races beside trainings
"""
