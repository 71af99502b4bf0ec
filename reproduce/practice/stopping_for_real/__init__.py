"""Does stopping hopeless runs save epochs where the runs are real?

question  asks and shows
pictures, tables, claims  what is shown
"""
