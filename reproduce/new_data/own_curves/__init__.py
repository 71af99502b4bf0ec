"""What do real learning curves look like? About a thousand that anyone can train.

question   the plan by scale, its runs trained part by part; claims
gallery    pictures and tables of them
"""
