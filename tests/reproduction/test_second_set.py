"""Guards reproduce/reproduction/accuracy/second_set.py: both test sets in one table."""

import pandas as pd

from reproduce.reproduction.accuracy import second_set

LUCK = pd.DataFrame({"cutoff": [10, 80], "seeds": 2, "sd": [0.1, 0.2]})


def test_the_table_has_both_sets_and_the_seeds():
    """A line each."""
    rows = pd.DataFrame({"method": "a", "cutoff": [10, 20], "n": 7, "ll_even": 1.0, "ll_even_se": 0.1})
    table = second_set.table(rows, rows, LUCK, "a")
    assert table["test set"].tolist()[:2] == ["first, 7 curves", "second, 7 curves"] and len(table) == 3
