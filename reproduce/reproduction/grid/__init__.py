"""Do the paper's 27 networks come out as printed?"""
