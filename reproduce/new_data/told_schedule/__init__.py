"""What an annealed rate does to every forecaster, and whether giving the planned rate helps.

planned_runs    random schedules, and simulated curves that follow from them
told_network    a network that is given the rate at each epoch, or is not, and its training
question        how well simulated curves, and our own real runs, are forecast with their plans
"""
