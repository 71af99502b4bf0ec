"""Which techniques of training break a forecast?

question asks and draws              scored   what a forecast of a run is held against
shapes   what a technique does       dropout  a network that forecasts by passes
"""
