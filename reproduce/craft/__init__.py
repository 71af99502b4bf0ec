"""What do the tricks of training do to a learning curve, and can the curves be forecast?

overfitting  regularisers, and stopping early           rates     learning rates, schedules, batches
starts       first weights, batch and layer norm        steppers  optimisers, on a bowl and on a network
cliff        clipping in a recurrent network            ladder    from a fully connected network to a vote
fooled       small changes of the inputs that mislead   craft_forecasts  is each technique's run forecast
hyperparameters  decay, batch and four at once, searched
_digits      the data: a thousand small images          _runs     trains a network on them, with four curves
"""
