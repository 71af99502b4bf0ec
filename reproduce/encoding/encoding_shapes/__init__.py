"""What do positional encodings look like, and what can be proved about them?

question            settings and measurements
properties          properties of each encoding, each tested on a tiny network
figures_and_tables  figures and tables
claims              what we ask, and the answers
"""
