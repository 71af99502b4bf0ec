"""Which sequence model reads the beginning of a curve best?

architectures     which forecasts best, at equal parameters, at equal time  _rows         models of equal parameters
backbone_rates    at which rates each learns best                           _trainings    how they are trained and scored
backbone_speeds   what steps and forecasts cost                             _leads        differences, with intervals
backbone_lengths  time and memory by the length of a curve                  _kept         memory for a gradient
block_switches    what each switch of a block buys, one at a time
book_keeping      sizes by formula (_sizes), beside what is printed         _task_shapes  what goes in and comes out
ensembles, longer_curves, memory (how far back each remembers), small_tasks (recall, copying, induction), weight_decay,
rates_that_break  of a block's switches, which breaks first (_block_variants: the switches)
trial_to_ship     does the best improve the released model               _kinds        kinds, and their colours
"""
