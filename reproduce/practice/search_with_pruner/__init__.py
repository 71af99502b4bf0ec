"""Does a pruner that forecasts save epochs in a search with Optuna?

question   asks, measures and claims
networks   small networks on the digits, and which of them a search may try
searches   one search, with one pruner      compared  with one pruner beside another
shown      figures and a table
"""
