"""How large and how fast is the port beside the reference package?

question  asks, shows and claims
rounds    lets the two programs take turns
"""
