"""Priors: what does a belief cost, what does a network make of it, and how does TabPFN forecast?

priors_side_by_side  what each belief costs where another is true   _distance_to_exact, _which_prior, _grades,
what_it_converges_to the exact predictive and posterior of priors   _posterior_of_priors: shared
many_passes          averages of forecasts through maps of values
damaged_curves       missing, repeated and rounded values           small_tables  a TabPFN of two cores beside rivals
table_passes         its ensembles of passes, and missing cells     table_rivals  tuned classifiers alone
published_tabpfn, tabpfn_beside_tuned  the published TabPFN         _tables, _rivals  what the last five share
"""
