"""Does stopping hopeless runs save epochs where the runs are real?

question  measures and draws
pictures, tables, claims  what a page shows
"""
