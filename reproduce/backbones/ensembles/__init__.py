"""Are several small networks better than one large at equal compute, and can one small network learn what they know?

question  trainings, figures, tables and claims
lessons   trainings on one finite set of curves, and on targets that other networks draw
together  scores of one network, and of several together
"""
