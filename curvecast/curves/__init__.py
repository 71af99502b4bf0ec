"""Where curves come from: what we believe in (prior, outside_prior, laws), what we measure, what others measured.

prior   the paper's prior: sample it       factory         real models, trained here
draw    numbers by chance                  counter, by_number  each curve from its number, on any device
laws    the prior of real runs             real_table      curves that others measured, one folder of tables
outside_prior  changed in one thing        tuning_and_test  which of them may be used for tuning
sources        public repositories to that table    gzip_table  text and numbers    plain_pickle  data alone
noise  integrated out
"""
