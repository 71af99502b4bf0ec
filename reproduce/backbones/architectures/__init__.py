"""Which sequence model forecasts curves best, at equal parameters and at equal time?

question  trains and scores      pictures  four figures      contests  the claims
"""
