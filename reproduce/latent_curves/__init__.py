"""How many numbers is a learning curve?

how_many_numbers    linear and bent codes of one to eight numbers, with and without noise, and of real runs
_curves             curves to train on, and real runs
"""
