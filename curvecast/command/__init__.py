"""The command `curvecast`, whose door is curvecast/__main__.py.

arguments   what the command may be told
completion  for shells
terminal    from a file of runs to a table     planned   which of them have finished
table       forecasts as a table
watch       a log that grows
output      bands in a file: CSV, JSON, SVG, PNG
convert     from clones of public repositories to tables of real curves
npz         curves as files: sample, evaluate
doctor      what is installed, and does it work
"""
