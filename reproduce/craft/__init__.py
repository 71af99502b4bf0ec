"""What do the tricks of training do to a learning curve, and can the curves be forecast?

overfitting  regularisers                               rates     learning rates, schedules, batches, searches
steppers     optimisers, first weights and norms        ladder    from a fully connected network to a vote
fooled       small changes of the observed points       craft_forecasts  is each technique's run forecast
_runs        a thousand small images, and training a network on them, with four curves
"""
