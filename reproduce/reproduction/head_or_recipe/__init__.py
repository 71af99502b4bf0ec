"""Is it the recipe, the head or the data?

question   settings, measurements and claims
cells      which networks are trained
contrasts  differences, with seed-to-seed variation
pictures   figure and tables
"""
