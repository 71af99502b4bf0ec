"""Where curves come from: priors, and measurements that others published.

prior   the paper's prior                  counter, by_number  each curve from its number, on any device
laws, run_prior  runs as people log them   real_table      published curves, read from a folder of tables
outside_prior  curves the prior lacks
sources        converters to that folder   scaling_prior   broken power laws
other_priors  beside the paper's: a Gaussian process, random networks, graphs
"""
