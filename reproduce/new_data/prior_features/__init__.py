"""What does each law of the new prior buy on real curves, and what does it cost on the paper's own?

question    asks
variants    the networks that are compared: one thing differs from the new prior's
empirical   a training on real curves of other sources, moved a little, in place of a prior
scored      how good a network is on real curves, and on curves of the paper's prior beside others
beside      scores -> how many times the new prior's they are, by row of the report
pictures, tables, claims   what is drawn, tabulated and stated
"""
