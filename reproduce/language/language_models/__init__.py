"""question asks; trained: every model of the ladder, at equal time; tails: later epochs, by sampled continuations;
told_apart: a classifier between sampled and fresh curves."""
