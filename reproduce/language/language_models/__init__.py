"""Which language model foresees curves best, and how far is it from the network that forecasts?

question    asks, and forecasts the next epoch       tails       later epochs, by sampled continuations
trained     every model of the ladder, at equal time  told_apart  a classifier between sampled and fresh curves
"""
