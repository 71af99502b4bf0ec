"""Where does it stop working?

question            asks
best_remaining      will a later epoch be the best
other_instructions  the same forecasts with other instructions of the same processor
figures_and_tables  what is shown
claims              what holds
"""
