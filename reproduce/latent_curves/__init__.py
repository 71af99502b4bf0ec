"""How many numbers is a learning curve?

how_many_numbers    linear and bent codes of one to eight numbers; a denoiser, and what it does in front of a forecaster
bits_of_the_past    forecasts from a short code of the beginning: what bits of the past are worth
code_shapes         Jacobians, tangents and sparse codes: do codes find the shape of a known family?
_curves             curves to train on, and real runs
"""
