"""From the public repository of each source to one table: what `curvecast convert` does.

origin         repository, commit, licence of each source, as sources.csv has them
uniform_table  which curves are kept, and the files that they make
catalogue      all sources in order; convert one
taskset algoperf deepobs lcdb11 adabelief modded_nanogpt pythia   one source each
scaling_laws   a benchmark of scaling curves: its table says of each point whether it is given
"""
