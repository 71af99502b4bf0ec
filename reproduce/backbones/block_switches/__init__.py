"""What does each switch of a transformer's block buy, one at a time, at equal parameters?

question  trains, scores, shows and claims
costs     time of a step, and of a look back
"""
