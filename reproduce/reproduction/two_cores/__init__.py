"""How close to the exact posterior an hour on two cores comes.

question       asks and shows
networks       what is trained, and what it is compared with
curves_needed  how many training curves are enough
"""
