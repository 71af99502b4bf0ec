"""Priors: what does a belief about learning curves cost, and what does a network make of it?

priors_side_by_side  what each belief costs where another is true   beliefs_on_real_curves  what it costs on real curves
_beliefs  six priors, their mixture, and the trainings              _holm  many comparisons at once
many_passes          averages of forecasts, each through another map of the values, as TabPFN forecasts
damaged_curves       missing, repeated and rounded values, and a network that was trained with gaps
"""
