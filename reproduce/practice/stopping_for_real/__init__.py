"""Does stopping hopeless runs save epochs where the runs are real?

question  asks and shows        pools    which runs compete, on one scale
rules     who stops what        asked    forecasts, when a decision needs them
chosen      patience chosen on other tasks; how much sooner
pictures, tables, claims        what is shown
"""
