"""How good are forecasts of our own real runs, and which kinds of curve break them?

question   asks
gallery    forecasts to look at, the worst included
"""
