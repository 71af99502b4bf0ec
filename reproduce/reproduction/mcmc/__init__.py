"""How near to the exact posterior do Markov chains come, and at what cost?

question           asks
papers_chains      the paper's chains in all their settings
emcee_chains       the same as function calls, with emcee
race               chains and networks in turns
timed_networks     a network with its seconds
figures_and_table  what is shown
claims             what is asked of them
"""
