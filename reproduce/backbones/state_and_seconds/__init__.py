"""question trains, counts and compares; picture draws the score of every row against what it costs."""
