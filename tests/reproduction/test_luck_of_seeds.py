"""Guards reproduce/reproduction/_luck_of_seeds.py: what the luck of a training moves."""

import math

import pandas as pd
import pytest

from reproduce.reproduction import _luck_of_seeds

SEEDS = pd.DataFrame(
    {
        "cutoff": [10, 10, 80, 80],
        "seed": [0, 1, 0, 1],
        "ll_even": [2.0, 2.2, 2.0, 2.4],
        "n": 7,
        "ll_even_se": 0.1,
    }
)


def test_seeds_scatter_by_cutoff():
    luck = _luck_of_seeds.luck(SEEDS).set_index("cutoff")
    assert luck["seeds"].tolist() == [2, 2]
    assert luck.loc[10, "sd"] == pytest.approx(0.2 / math.sqrt(2))
    assert luck.loc[80, "sd"] == pytest.approx(0.4 / math.sqrt(2))


def test_the_half_width_is_students():
    """Two seeds: 12.7 standard deviations; a cutoff without seeds: unknown."""
    luck = _luck_of_seeds.luck(SEEDS)
    assert _luck_of_seeds.half_width(luck, 10) == pytest.approx(12.706 * 0.2 / math.sqrt(2), rel=1e-3)
    assert math.isnan(_luck_of_seeds.half_width(luck, 33))
