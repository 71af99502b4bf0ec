"""How well can accuracy against the size of the training set be forecast?

question   asks
ways       three inputs in place of the epoch, and who gets them
shown      the figure and the tables
"""
