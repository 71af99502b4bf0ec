"""What do your own finished runs buy? Coverage, width and CRPS with 0 to 50 of them, on other people’s curves.

question      measures
tasks         the curves: sources, tasks, and the points that a forecaster gets
with_finished a task at one observed share: forecasts with so many finished runs, any runs or survivors of pruning
chosen        how strongly few runs count, chosen on the tuning set
shown         figure, tables, claims
"""
