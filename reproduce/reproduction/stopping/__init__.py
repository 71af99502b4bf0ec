"""Does stopping hopeless runs save epochs?

question       asks and shows
pools_of_runs  runs and a budget of epochs
regret         by epochs spent
claims         what holds
"""
