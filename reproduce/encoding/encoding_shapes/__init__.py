"""What do encodings look like, before any training?

question            asks
properties          what can be said of each, cell by cell
figures_and_tables  what is shown
claims              what holds
"""
