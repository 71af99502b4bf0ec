"""How near to exact Bayes does an hour of two cores come, and how soon is a network as good as the printed ones?

question  asks and shows            networks  what is trained
rungs     what longer training buys claims    what holds
at_twice_the_effort  by a judge with twice the effort
"""
