"""The paper, made again.

prior_belief    what the prior believes            grid         the paper's 27 networks
forecasts       what forecasts look like           mcmc         what chains reach, at what price
accuracy        how good they are                  two_cores    an hour of training, and seconds
exact_bayes     what is lost to exact Bayes        head_or_recipe  the recipe, the head, the data or the seed
printed_numbers do they agree with Bayes, the code and the paper's words
speed           beside the authors' package        stopping     does it save epochs
_method_scores _printed_scores _grid_cells _grid_pictures _lines
"""
