"""How to step, and where to start: two classic experiments, of which the first has races on a bowl (bowl)."""
