"""How good is the network that comes with the package?

question            asks
cases               how it is asked
case_differences    one forecaster against another
figures_and_tables  what is shown
claims              what holds
ship                trains it and writes it
card                its MODEL_CARD.md
scores_of_the_prior  what its prior's own curves get
reference_forecasts  what it says of twenty runs, for tests
"""
