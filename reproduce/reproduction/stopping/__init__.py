"""Does stopping hopeless runs save epochs?

question  asks and shows
claims    what holds
"""
