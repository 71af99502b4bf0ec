"""Which backbone can recall, copy and induce?

question  trainings, estimates, tables, figure, claims    tasks  the three tasks
answerer  a backbone with an embedding and an output layer, its training, and its share of right answers
"""
