"""How should weights start, and what do norms change?

question  settings, figure, table and claims   weights  three ways to draw weights, and how far inputs of neurons spread then
networks  trained from such weights, with and without batch or layer normalisation
"""
