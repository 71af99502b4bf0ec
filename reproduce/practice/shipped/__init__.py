"""How good is the released model, which comes with the package?

question            measures
cases               which epochs of a run are missing
figures_and_tables  what a page shows
claims              its questions and what yes needs
ship                trains it and writes it
card                its MODEL_CARD.md
scores_of_the_prior  how odd curves of its own prior look to it
reference_forecasts  its forecasts of twenty runs, for tests
"""
