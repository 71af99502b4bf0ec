"""question, and its ideas: sizes (parameters, operations and cache by formula), task_shapes (what goes in and comes out)."""
