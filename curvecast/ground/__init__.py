"""What all other packages use.

config      hashes of frozen dataclasses
errors      the error that a user can act on, files that may be anything
whole_file  atomic writes
weights_file   weights, read without torch      weights   torch weights and checkpoints
figures     of notebooks, with captions      progress   how far, and numbers in words
log_axes    where a network sees a scaling curve
"""
