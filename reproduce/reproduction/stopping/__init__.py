"""Does stopping hopeless runs save epochs?

question  asks and shows
claims    what is asked of the rules
"""
