"""How close to the exact posterior does an hour on two cores come, and how soon does a network match the printed ones?

question  asks and shows
rungs     what longer training buys
networks  what is trained
"""
