"""What all other packages use.

config      hashes of frozen dataclasses
errors      the error that a user can act on          from_outside   files that may be anything
whole_file  atomic writes                in_words   numbers as people read them
weights_file   weights, read without torch      weights   torch weights and checkpoints
figures     of notebooks, with captions      progress   how far a long command is
log_axes    where a network sees a scaling curve
"""
