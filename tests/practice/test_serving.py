"""Guards reproduce/practice/serving.py: ratios follow their rows, and both programs are asked for the same. Nothing is
timed."""

import pandas as pd
import pytest

from reproduce.practice import serving
from reproduce.rival import partner

CONFIG = serving.SCALES["laptop"]


def timed(factor: float) -> pd.DataFrame:
    """Rows in which the reference takes `factor` times as long as ours for every task, our products 2 / `factor` of it."""
    rows = []
    for theirs, mine, size, *_ in serving.RATIOS.values():
        for number in range(1, 10):
            row = {"size": size, "round": number, "curves": 50}
            rows.append(row | {"program": "ours", "task": mine, "seconds": 0.1 + 0.001 * number})
            rows.append(
                row | {"program": "reference", "task": theirs, "seconds": factor * (0.1 + 0.0011 * number)}
            )
    for _, products, _ in serving.SHARES.values():
        for number in range(1, 10):
            row = {"size": "128 x 3", "round": number, "curves": 50, "program": "ours", "task": products}
            rows.append(row | {"seconds": 2 / factor * (0.1 + 0.0011 * number)})
    return pd.DataFrame(rows).drop_duplicates(["size", "round", "program", "task"])


def test_ten_times_as_fast_meets_all_claims_and_half_as_fast_none():
    assert all(claim.holds() for claim in serving.claims(timed(10)))
    assert not any(claim.holds() for claim in serving.claims(timed(0.5)))


def test_what_was_not_measured_is_not_claimed():
    small = timed(10).query("size == '128 x 3'")
    assert {c.name for c in serving.claims(small) if not c.tested()} == {"large_mean"}


def test_our_turns_forecast_what_they_are_given():
    """Each gives seconds, for one curve at a time and for many at once."""
    y = serving.prior.test_set(4).noisy[:, :10].clamp(0, 1).double().numpy()
    for seconds in (
        serving._one(y, None, True, "q"),
        serving._one(y, None, False, "mean"),
        serving._many(y, None, False),
        serving._products(4, 2, 10, None),
    ):
        assert seconds > 0


@pytest.mark.skipif(
    not partner.PYTHON.exists(), reason="the reference package is not installed: make bench installs it"
)
def test_the_reference_answers_all_that_is_asked_of_it(tmp_path):
    import numpy as np

    y = np.full((3, 100), 0.5, dtype=np.float32)
    np.savez(tmp_path / "curves.npz", y=y, borders=np.linspace(-1, 2, 1001, dtype=np.float32))
    with partner.Rival(1, program=serving.PROGRAM) as rival:
        assert rival.ask("load", curves=str(tmp_path / "curves.npz"), width=128, layers=1)["parameters"] > 0
        for do in ("mean", "quantiles", "batched"):
            assert rival.ask(do, seen=10, curves=2)["seconds"] > 0
