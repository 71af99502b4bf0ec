"""What an annealed rate does to every extrapolator, and whether the planned rate mends it.

planned_rates   schedules by chance
planned_runs    what they do to curves that we make up
told_network    a network that is told the rate at each epoch, or is not, and its training
chosen_runs             curves that we made up, and our own real runs, with their plans
question        who forecasts them how well
"""
