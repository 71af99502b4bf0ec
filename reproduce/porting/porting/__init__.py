"""Why did the ports of the student blog score as they did?

question       asks                                same_weights  the port beside our network
old_port       the ports, each fault a switch      checks        that find a broken forecaster
ports_by_name  which faults each keeps             rows          what the rows say
old_training   how they were trained, and mended   figures       what is shown
old_scores     their forecasts, scored             tables        what is shown
other_shapes   two other shapes of transformer     claims        what holds
linear_rules   the best linear rule
"""
