"""What do your own finished runs buy?

question       measures, estimates and shows     chosen  how much finished runs tell of another
with_finished  tasks, and their forecasts with the help of finished runs
"""
