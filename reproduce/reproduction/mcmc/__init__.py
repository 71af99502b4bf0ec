"""What do Markov chains reach, and at what price?

question           asks
papers_chains      the paper's chains in all their settings
emcee_chains       the same as function calls, with emcee
race               chains and networks in turns
timed_networks     a network with its seconds
figures_and_table  what is shown
claims             what holds
"""
