"""How near to the exact posterior do Markov chains come, and at what cost?

question         asks
programs         the paper's chains in all their settings, networks with their seconds, a race of all
emcee_chains     the chains as function calls, with emcee
plane            how far each is below the exact posterior, against its seconds
equal_likelihood how long others need to be as good as the network
"""
