"""Shapes of figures that questions of several chapters draw.

bands       a forecast as bands of quantiles
beside_lines  names at the ends of lines
dots        dots with intervals, a row each
panels      small panels with one legend; ticks as numbers are written
speed_ups   how many times faster each rule is, a dot with its interval for each
"""
