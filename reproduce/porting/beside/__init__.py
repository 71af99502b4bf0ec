"""How large and how fast is the port, compared with the reference package?

question  asks, shows and claims
rounds    lets the two programs take turns
"""
