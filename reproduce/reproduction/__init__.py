"""The paper, made again.

prior_belief  what the prior believes            grid            the paper's 27 networks
forecasts     what forecasts look like           stopping  does it save epochs
accuracy      how good they are                  slips           where the paper contradicts itself
recipe        what each choice of ours gains     speed           beside the authors' package
exact_bayes   what is lost to exact Bayes        head_or_recipe  is it the recipe, the head or the data
mcmc          what chains reach, at what price   time_to_accuracy  how long others need to be as good
training_luck seed-to-seed variation             printed_against_bayes  what printed numbers lose
two_cores     an hour of training, and seconds  speedrun  what a recipe saves
_method_scores _printed_scores _luck_of_seeds _grid_cells _slope _crossing
"""
