"""Which language model foresees curves best, and how far is it from the network that forecasts?

question  asks, and forecasts the next epoch      trained  every model of the ladder, at equal time
tails     later epochs, by sampled continuations
"""
