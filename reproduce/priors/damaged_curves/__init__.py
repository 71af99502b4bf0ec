"""What do missing, repeated and rounded values cost a forecast?

question  settings, scores, estimates, figure, claims     damage  what is lost of a beginning, and what is filled in
"""
