"""Do the numbers that the paper prints agree with exact Bayes, with its code and with its own words?

question         asks and shows; the printed scores beside the exact posterior
standard_errors  which noise the curves had, and what is counted
own_words        the paper against its own Table 5, and all slips
"""
