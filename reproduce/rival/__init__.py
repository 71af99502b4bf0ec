"""Other programs, in an environment of their own (.bench): a line of JSON in, a line out.

partner         starts such a program and takes turns with it     requests   its end of the line
package         the reference package, measured as it is
forecaster      its public calls
timed_program   one of two programs that are timed
timed_networks  what they build: the port, or the package's network
used_lines      how much code does a call run through
deephyper_program   the learning-curve model of DeepHyper      tabpfn_program  the published TabPFN
"""
