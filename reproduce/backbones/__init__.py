"""Which sequence model reads the beginning of a curve best?

architectures     which forecasts best, at equal parameters, at equal time  _rows          rows of equal size, their kinds
backbone_rates    at which rates each learns best (_sweep)                  _trainings, _scores  how all are trained, scored
backbone_speeds   what steps and forecasts cost (_costs)                    _leads         differences, with intervals
backbone_lengths  time and memory by the length of a curve; longer_curves   state_and_seconds  scores, costs, what is kept
block_switches    what each switch of a block buys; rates_that_break: which breaks first (_block_variants: the switches)
book_keeping      sizes by formula, beside what is printed
more_rows (two that came later), fresh_seeds (of the leaders), trial_to_ship (does the best improve the released model),
by_curve (on how many curves the better one leads)
ensembles, memory (how far back each remembers), small_tasks (recall, copying, induction), weight_decay
"""
