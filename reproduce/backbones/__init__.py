"""Which sequence model reads the beginning of a curve best?

architectures     which forecasts best, at equal parameters, at equal time  _rows         rows of equal size, their kinds
backbone_rates    at which rates each learns best                           _trainings    how all are trained and scored
backbone_speeds   what a step, a forecast and a long curve cost
state_and_seconds scores, costs, what is kept; leaders with fresh seeds     _leads        differences, with intervals
block_switches    what each switch of a block buys                          book_keeping  sizes by formula, as printed
ensembles (four small networks against one large); small_tasks (recall, copying, induction: _token_tasks)
memory (how far back each remembers), longer_curves; _products (how much of a backbone's time is in its matrix products)
"""
