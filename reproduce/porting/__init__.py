"""Four ports of a student blog, and our port in stock layers.

porting  why the four scored as they did
beside   our port and the reference package
"""
