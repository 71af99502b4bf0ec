"""question asks and draws; trained: a run with a rate, a schedule and a batch, and the search for the largest rate."""
