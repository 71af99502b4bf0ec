"""Where curves come from.

prior          what curves we believe in: sample them
outside_prior  curves of the prior, changed in one thing that it does not hold
sources        public repositories of measured curves, to one table
official       the files that benchmarks publish, to the same table
terms          whose curves they are, under which licence
plain_pickle   containers, numbers and text out of a pickle, and nothing else
"""
