"""Where does the paper contradict itself?

question          asks, shows and claims
papers_own_table  its words against its Table 5
"""
