"""How good are forecasts of real curves? By source, by method, by share observed.

question     asks
tables       what is tabulated
claims       what is claimed
"""
