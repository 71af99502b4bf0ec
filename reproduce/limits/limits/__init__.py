"""Where does the network stop working?

question            asks
best_remaining      the chance that a later epoch beats the best so far
other_instructions  the same forecasts with other instructions of the same processor
case_titles         cases of the rows as pages name them
figures, tables     of these rows
claims              which questions are answered by the rows
"""
