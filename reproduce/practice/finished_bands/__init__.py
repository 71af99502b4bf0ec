"""What do your own finished runs buy?"""
