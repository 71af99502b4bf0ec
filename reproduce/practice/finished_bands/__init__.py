"""What do your own finished runs buy?

question       measures, estimates and shows     chosen  how strongly few finished runs count
with_finished  tasks, and their forecasts with the help of finished runs
"""
