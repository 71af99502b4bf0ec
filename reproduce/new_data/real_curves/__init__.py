"""How good are forecasts of real curves? By source, by method, by share seen.

question     asks
summary      scores of curves -> of cells: a row of the report at a share seen
figures      what is drawn
tables       what is tabulated
claims       what holds
"""
