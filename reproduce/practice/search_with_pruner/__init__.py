"""Does a pruner that forecasts save epochs in a search with Optuna?"""
