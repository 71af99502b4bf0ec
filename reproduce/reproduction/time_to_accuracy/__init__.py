"""How long must other methods run until they are as good as the network?

question  asks, shows and claims
runs      network, chains and exact posterior, each in several lengths, with the processor time of each
crossing  where a line of likelihood against time passes a level
"""
