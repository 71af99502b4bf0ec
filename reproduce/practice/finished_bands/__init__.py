"""What do your own finished runs buy? Coverage, width and CRPS with 0 to 50 of them, on curves that others measured.

question      asks
tasks         the curves: sources, tasks, what a forecaster sees of each
with_finished a task at one share seen: forecasts with so many finished runs, of all kinds or survivors
chosen        the draw: how strongly few runs count, chosen on the side look
shown         figure, tables, claims
"""
