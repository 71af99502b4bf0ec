"""Why did the ports of the student blog score as they did?

question      asks, measures, claims              linear_rules  the best linear rule
old_port      the ports, each fault a switch      same_weights  our network and the port
old_training  how they were trained, by name      checks        that find a broken forecaster
old_scores    their forecasts, scored             estimates     means and differences
shown         figures and tables                  other_shapes  one shot; encoder and decoder
"""
