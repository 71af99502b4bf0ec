"""The command `curvecast`, whose door is curvecast/__main__.py.

options     commands, and what they may be told
terminal    from files of runs to a table           planned     which runs have finished
table       forecasts as a table, and bands in a file: CSV, JSON, SVG, PNG
watch       a folder of logs that grow, ranked      ranking     who will win, who could stop
npz         curves as files: sample, evaluate
convert     tables of real curves, from clones
doctor      what is installed, and does it work
"""
