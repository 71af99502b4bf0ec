"""The paper, made again.

prior_belief  what the prior believes            stopping        does it save epochs
forecasts     what forecasts look like           slips           where the paper contradicts itself
accuracy      how good they are                  speed           beside the reference package
recipe        what each choice of ours buys      _method_scores  how good one method is
exact_bayes   what is lost to exact Bayes        _grid_cells     the cells of the paper's grid
mcmc          what chains reach, at what price   _grid_rows      what its rows hold
grid          the paper's 27 networks
"""
