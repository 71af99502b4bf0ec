"""From the public repository of each source to one table: what `curvecast convert` does.

origin         repository, commit, licence of each source, as sources.csv has them; its files, read with distrust
uniform_table  which curves are kept, and the files that they make
catalogue      all sources in order, a paragraph each; convert one
scaling_laws   a benchmark of scaling curves: its table says of each point whether it is given
"""
