"""Does a forecaster of curves need a positional encoding?

question  asks
claims    what holds
"""
