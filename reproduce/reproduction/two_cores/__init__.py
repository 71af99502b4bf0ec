"""How close to the exact posterior does an hour on two cores come, and how soon does a network match the printed ones?

question  asks and shows            networks  what is trained
rungs     what longer training buys claims    what is asked of it
at_twice_the_effort  against a posterior computed with twice the effort
"""
