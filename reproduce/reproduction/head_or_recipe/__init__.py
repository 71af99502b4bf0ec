"""Is it the recipe, the head or the data?

question   asks, shows and claims
cells      which networks are trained
contrasts  how far one is above another, the luck of a seed counted
pictures   what is shown
"""
