"""What everything else stands on.

config      hashes of frozen dataclasses
errors      the complaint that a user can act on
whole_file  a file is there whole or not at all
weights_file   weights, read without torch      weights   weights and checkpoints of torch
"""
