"""Does each rung of the book's ladder raise the accuracy?

question          trainings and claims
networks          the network of each rung, and a vote of several
figure_and_table  the ladder here beside the book's
"""
