"""question asks and draws; techniques: a run for each, and what it changes; stopping: the rule that ends a run early."""
