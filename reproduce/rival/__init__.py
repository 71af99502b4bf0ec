"""The reference package, in an environment of its own (.bench): a line of JSON in, a line out."""
