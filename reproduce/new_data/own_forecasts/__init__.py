"""How good are forecasts of our own real runs, and which kinds of curve break them?

question   asks
gallery    pictures of forecasts, the worst included
"""
