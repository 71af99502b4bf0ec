"""How good are the forecasts?

question  asks and shows
claims    what holds
"""
