"""What do real curves have that the paper’s prior lacks? One feature at a time.

features   a curve and its residuals from the nearest curve of the prior -> a number for each feature
question   those of real curves, and of equally long curves from the paper's prior and from our run simulator
"""
