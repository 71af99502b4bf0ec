"""How fast is it, beside the reference package?

question    asks, shows and claims
throughput  curves a second
equal_time  what equal CPU time buys
"""
