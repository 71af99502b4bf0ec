"""Are several small networks better than one large at equal compute, and can one small network learn what they know?

question  trains, shows and claims
lessons   trainings on one finite set of curves, and on what other networks say
together  scores of one network, and of several together
"""
