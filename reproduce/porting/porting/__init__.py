"""Why did the ports of the student blog score as they did?

question       asks                                same_weights  our network and the port
old_port       the ports, each fault a switch      checks        that find a broken forecaster
ports_by_name  which faults each keeps             rows          means and differences
old_training   how they were trained, and repaired   figures       what is drawn
old_scores     their forecasts, scored             tables        what is tabulated
other_shapes   two other shapes of transformer     claims        questions and answers
linear_rules   the best linear rule
"""
