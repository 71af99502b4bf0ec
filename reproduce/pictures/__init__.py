"""Shapes of figures that questions of several chapters draw: panels.py has all of them."""
