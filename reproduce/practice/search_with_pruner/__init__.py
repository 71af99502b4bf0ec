"""Does a pruner that forecasts save epochs in a search with Optuna?

question   measures and claims
networks   small networks on the digits, and the settings that a search may try
searches   one search, with one pruner      compared  one pruner compared with another
shown      figures and a table
"""
