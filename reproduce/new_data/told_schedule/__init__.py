"""What an annealed rate does to every forecaster, and whether giving the planned rate helps.

planned_rates   random schedules
planned_runs    simulated curves that follow from them
told_network    a network that is given the rate at each epoch, or is not, and its training
chosen_runs     simulated curves, and our own real runs, with their plans
question        how well they are forecast
"""
