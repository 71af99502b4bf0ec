"""Which sequence model forecasts curves best, at equal parameters and at equal time?

question  trains and scores      pictures  three figures      contests  the claims
"""
