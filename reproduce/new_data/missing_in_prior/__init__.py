"""What do real curves have that the paper’s prior lacks? One feature at a time.

question   asks
features   a curve and its residuals from the nearest curve of the prior -> a number for each feature
beside     features of real curves and of equally long curves from the paper's prior, and from our run simulator
pictures   a figure and tables of that
"""
