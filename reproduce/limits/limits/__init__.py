"""Where does the network stop working?

question            asks: gaps, long curves, distances, measures
strange_curves      kinds of curves that the prior does not contain
best_remaining      will a later epoch beat the best so far
other_instructions  the same forecasts with other instructions of the same processor
"""
