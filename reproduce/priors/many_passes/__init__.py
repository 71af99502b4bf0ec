"""Does it help to average many passes of one network?

question  settings, figure, tables, claims     asked   which later points of which curves, of the prior and real
passes    maps of the value, and their passes  scores  of each curve; strengths and times   estimates  gains
"""
