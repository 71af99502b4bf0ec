"""Priors: what does a belief cost, what does a network make of it, and how does TabPFN forecast?

priors_side_by_side   what each belief costs where another is true
what_it_converges_to  the exact predictive and posterior of priors   small_tables  a TabPFN of two cores beside rivals
damaged_curves        missing, repeated and rounded values; passes
_tables, _rivals: of small_tables   _passes: of damaged_curves   _which_prior: of what_it_converges_to
"""
