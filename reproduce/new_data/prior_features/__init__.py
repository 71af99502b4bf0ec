"""What does each property of the new prior improve on real curves, and what does it cost on the paper’s own?

question    asks
variants    the networks that are compared: one thing differs from the new prior's
empirical   a training on slightly changed real curves of other sources, in place of a prior
scored      scores of a network on real curves and, against others, on curves of the paper's prior
beside      scores -> ratios to those of the new prior's network, by benchmark
pictures, tables, claims   what is drawn, tabulated and asked
"""
