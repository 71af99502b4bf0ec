"""Guards reproduce/new_data/sample_sizes: three ways to tell a size, and claims that follow rows."""

import numpy as np
import pandas as pd
import pytest

from reproduce.new_data import _beside
from reproduce.new_data import sample_sizes as question
from reproduce.protocols.real_curve import trial

SIZES = np.array([16.0, 17, 19, 32, 64, 512])


def test_each_way_tells_the_order_and_no_epoch_below_nothing():
    """Numbers are evenly spaced; sizes are spread over 1 to 100; shares end at 1."""
    told = {way: question.told(way, SIZES) for way in question.WAYS}
    assert all((np.diff(x) > 0).all() and x[0] > 0 for x in told.values())
    assert told["number"].tolist() == [1, 2, 3, 4, 5, 6]
    assert told["size"][[0, -1]].tolist() == [1, 100] and told["share"][[0, -1]].tolist() == [16 / 512, 1]
    assert np.corrcoef(told["size"], SIZES)[0, 1] == pytest.approx(1)


def test_least_squares_get_the_sizes_themselves():
    """A power law in the size is found, which the number of the observation would hide."""
    sizes = np.round(16 * 2 ** (np.arange(40) / 8))
    one = trial(0.95 - 1.5 * sizes**-0.5, 0, 1, False)
    rows = _beside.scores([one], question.answers("simple", [sizes])).set_index(["method", "seen"])
    assert rows.loc[("pow3", 40), "error"] < 1e-4 < rows.loc[("last", 40), "error"]


def test_claims_follow_the_rows():
    """On made-up scores: numbers are twice as good as sizes, and the first tenth does not count."""
    curves = pd.DataFrame({"row": "accuracy", "curve": range(20), "run": "r", "group": [f"{i // 2}" for i in range(20)],
                           "learner": "tree", "points": 40})  # fmt: skip
    crps = {"shipped, number": 0.5, "shipped, size": 1.0, "last": 0.4}
    lines = [
        ("accuracy", i, seen, method, 9.0 if seen == 10 and method == "last" else score, 0.1, 0.9, 0.0)
        for method, score in crps.items() for seen in (10, 40) for i in range(20)
    ]  # fmt: skip
    made = {"curves": curves, "rows": pd.DataFrame(lines, columns=list(question.TABLES["rows"]))}
    verdicts = {one.name: (one.value, one.holds()) for one in question.claims(made)}
    assert verdicts["numbers_beat_sizes"] == (pytest.approx(2, rel=1e-3), True)
    assert verdicts["beats_last"] == (pytest.approx(0.8, rel=1e-3), False)
    assert verdicts["beats_pow3"] == (None, None) and verdicts["bands_hold"][1] is True
