"""How close to the exact posterior does an hour on two cores come, and how soon does a network match the printed ones?

question          asks and shows
rungs             what longer training buys
twice_the_effort  beside a posterior that is computed better
networks          what is trained
"""
