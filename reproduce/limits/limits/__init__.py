"""Where does the network stop working?

question            asks
best_remaining      the chance that a later epoch beats the best so far
other_instructions  the same forecasts with other instructions of the same processor
figures_and_tables  figures and tables of these rows
claims              which questions are answered by the rows
"""
