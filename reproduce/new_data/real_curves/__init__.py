"""How good are forecasts of real curves? By source, by method, by share seen.

question     asks
chosen       which curves of which tables
tables       what is tabulated
claims       what holds
"""
