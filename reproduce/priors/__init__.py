"""What a network believes before it sees data: other priors, and what follows from them.

small_tables   a TabPFN of two cores beside tuned classifiers      table_rivals      these classifiers alone
table_passes   its ensembles of passes, and missing cells          _tables, _rivals  what all share
published_tabpfn   the published TabPFN on the same tables       tabpfn_beside_tuned  and beside the tuned classifiers
"""
