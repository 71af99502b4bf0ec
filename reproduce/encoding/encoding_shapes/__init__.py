"""What do positional encodings look like, and which properties can be proved?

question    asks, trains a learned table, shows and claims
shapes      the numbers that stand for an epoch or a distance
properties  of each encoding, each tested on a tiny network
"""
