"""How far can small changes of the inputs move an answer?

question          sizes of the changes, and claims
changes           changes along the gradient and random ones, of images and of observed points
figure_and_table  how far answers move, by the size of the change
"""
