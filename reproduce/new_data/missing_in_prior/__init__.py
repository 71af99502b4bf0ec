"""What have real curves that the paper's prior has not? One feature at a time.

question   asks
features   a curve and what its nearest curve of the prior leaves of it -> a number for each feature
beside     features of real curves beside those of curves as long from the paper's prior, and from the new laws
pictures   a figure and tables of that
"""
