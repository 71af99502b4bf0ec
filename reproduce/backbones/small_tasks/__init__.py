"""Which backbone can recall, copy and induce?

question  trainings, tables and figures   tasks     the three tasks
claims    the claims                      answerer  a backbone with an embedding and an output layer
panels    the figure                      trained   its training, and its share of right answers
"""
