"""Does a network that forecasts step by step need a positional encoding?

question               asks
stepwise_network       the network
median_forecasts       what it forecasts, epoch by epoch
figures_tables_claims  what is shown, and what holds
"""
