"""What do the tricks of training do to a learning curve, and can the curves be forecast?

_digits  the data: a thousand small images           _runs  trains a network on them, and logs four curves an epoch
"""
