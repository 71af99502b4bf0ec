"""Does a network that forecasts step by step need a positional encoding?

question               settings, trainings, tests
stepwise_network       the network
median_forecasts       medians of its forecasts, on usual and unusual epochs
figures_tables_claims  figures, tables, questions and their answers
"""
