"""Do the paper's 27 networks come out as printed?

question      asks, measures and shows
beside_print  the figure of all of them
"""
