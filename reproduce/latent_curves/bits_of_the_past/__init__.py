"""How many bits of the past are worth having?

question  asks, of forecasts from a code of the beginning
whole     autoencoders of whole curves
"""
