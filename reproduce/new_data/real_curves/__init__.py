"""How good are forecasts of real curves? By source, by method, by share seen.

question     asks
tables       what is tabulated
claims       what holds
"""
