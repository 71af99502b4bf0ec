"""Do the paper’s 27 networks come out as printed?

question            asks and claims
figures_and_tables  what is shown
"""
