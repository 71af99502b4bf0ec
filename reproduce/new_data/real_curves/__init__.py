"""How good are forecasts of real curves? By source, by method, by share observed.

question     asks
tables       what is tabulated
means        mean coverage, with which benchmarks and intervals
effort       has the exact posterior converged?
claims       what is claimed
"""
