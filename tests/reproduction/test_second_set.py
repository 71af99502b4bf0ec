"""Guards reproduce/reproduction/accuracy/second_set.py: what the luck of a training moves."""

import math

import pandas as pd
import pytest

from reproduce.reproduction.accuracy import second_set

EACH = pd.DataFrame(
    {
        "base@10": [1.0, 3.0, None, None], "base-seed1@10": [None, None, 1.2, 3.2], "base@70": [2.0, 2.0, None, None],
        "base-seed1@70": [None, None, 2.4, 2.4], "dropout-0.2@10": [9.0, 9.0, 9.0, 9.0],
    }
)  # fmt: skip


def test_seeds_of_the_base_alone_scatter():
    """Means 2.0 and 2.2 at 10, 2.0 and 2.4 at 70, which stands for 80 and for what is nearer to it than to 10."""
    luck = second_set.luck(EACH).set_index("cutoff")
    assert luck["seeds"].tolist() == [2, 2, 2, 2]
    assert luck.loc[10, "sd"] == pytest.approx(0.2 / math.sqrt(2))
    assert luck.loc[80, "sd"] == pytest.approx(0.4 / math.sqrt(2))


def test_the_half_width_is_students():
    """Two seeds: 12.7 standard deviations; a cutoff without seeds: unknown."""
    luck = second_set.luck(EACH)
    assert second_set.half_width(luck, 10) == pytest.approx(12.706 * 0.2 / math.sqrt(2), rel=1e-3)
    assert math.isnan(second_set.half_width(luck, 33))


def test_the_table_has_both_sets_and_the_seeds():
    """A line each."""
    rows = pd.DataFrame({"method": "a", "cutoff": [10, 20], "n": 7, "ll_even": 1.0, "ll_even_se": 0.1})
    table = second_set.table(rows, rows, second_set.luck(EACH), "a")
    assert table["test set"].tolist()[:2] == ["first, 7 curves", "second, 7 curves"] and len(table) == 3
