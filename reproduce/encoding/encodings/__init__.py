"""Does a forecaster of learning curves need a positional encoding?

question  settings, trainings, tests
claims    what we ask, and the answers
"""
