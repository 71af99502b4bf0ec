"""What do real curves have that the paper’s prior lacks? One feature at a time."""
