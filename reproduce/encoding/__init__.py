"""What is an order worth?

encodings            does a forecaster need them
encoding_shapes      what they look like
stepwise             step by step, on its own forecasts
_encoded_network     a PFN with an encoding, told the epoch or not
_unpractised_epochs  what it is asked, also epochs that it never practised on
_cell_names          the networks of the experiment, by name
_cell_differences    what two of them differ by
_figures_and_tables  what is shown
"""
