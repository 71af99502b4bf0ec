"""Where does the network stop working?

limits     which curves, questions and machines it fails on
joint_law  whether sampled futures give the right chance of a new best
"""
