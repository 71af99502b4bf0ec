"""Where does it stop working?

limits     curves, questions and machines on which it does
joint_law  whether sampled futures hang together as real ones do
"""
