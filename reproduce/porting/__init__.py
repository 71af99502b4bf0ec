"""Four old ports, and the port in stock layers.

porting  why the old ones scored as they did
beside   the port beside the reference package
"""
