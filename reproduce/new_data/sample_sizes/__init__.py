"""How well can accuracy against the size of the training set be forecast?

question   asks
ways       three ways to tell a size, and who is told
shown      the figure and the tables
"""
