"""How good are forecasts of our own real runs, and which kinds of curve break them?

question   asks
put        the runs as they are put to forecasters, row by row of the report
gallery    forecasts to look at, the worst included
"""
