"""How fast are sampling and training beside the authors’ package?

question    settings, figures, tables and claims
throughput  curves a second
equal_time  scores after equal CPU time
"""
