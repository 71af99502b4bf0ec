"""Which backbone can recall, copy and induce?

question  trains, scores and shows      tasks     what is asked
claims    what is claimed               answerer  a backbone that answers
panels    draws                         trained   its training, and its share of right answers
"""
