"""Where does it stop working?

limits  one question
"""
