"""Why did the ports of the student blog score as they did?

question  asks, measures, shows, claims          scores  errors of forecasts, by curve, and estimates
old_port  the ports, each fault a switch;        checks  that find a broken forecaster; our network and the port
          how they were trained, by name
"""
