"""Guards reproduce/reproduction/printed_against_bayes.py: how far below the exact posterior a printed number is."""

import math

import numpy as np
import pandas as pd
import pytest

from reproduce.printed.numbers import HALF, log_likelihood
from reproduce.reproduction import printed_against_bayes as question

CONFIG = question.Config()
CUTOFF = 20


def rows(lost: float = 0.1, chains_lose: float = 0.3, missing: tuple[str, ...] = ()) -> pd.DataFrame:
    """A network at 2.0 on the whole set, the posterior above it on 50 curves, chains below that on the first 40."""
    network = np.linspace(1, 2, 50)
    noise = np.where(np.arange(50) % 2, 0.02, -0.02)
    exact = network + lost + noise
    scores = {"exact": exact, "3x128": network, "chains": (exact - chains_lose)[:40], "doubled": exact[:10]}
    below = pd.DataFrame({"network": "hour", "cutoff": CUTOFF, "curve": range(50), "lost": exact - network})
    judged = pd.DataFrame(
        [
            {"method": method, "cutoff": CUTOFF, "curve": curve, "ll": ll}
            for method, lls in scores.items() if method not in missing
            for curve, ll in enumerate(lls)
        ]
    )  # fmt: skip
    seeds = {
        "network": "hour",
        "seed": [0, 0, 0, 1],
        "cutoff": [CUTOFF, 70, 80, CUTOFF],
        "ll_even": [2.0, 2.0, 2.0, 3.0],
    }
    whole = pd.DataFrame(seeds | {"ll_even_se": 0.003, "ll_se": 0.004})
    ships = pd.DataFrame(
        {"case": "whole", "method": "shipped", "cutoff": CUTOFF, "curve": range(30), "ll": exact[:30] - 0.2}
    )
    read = {CONFIG.judged: judged, CONFIG.shipped: ships}
    return question.measure(
        CONFIG,
        "all",
        {name: {"rows": rows} for name, rows in read.items()}
        | {CONFIG.whole: {"rows": whole, "lost": below}},
    )


def test_bayes_is_the_whole_set_and_what_is_lost_on_some_curves():
    """Not the posterior's mean on its own curves, which are others; at 80 epochs it was not computed."""
    found = rows().set_index(["method", "cutoff"])
    assert set(found.index.get_level_values("cutoff")) == {CUTOFF}
    assert found.loc[("exact", CUTOFF), "level"] == pytest.approx(2.1)
    assert found.loc[("hour", CUTOFF), "level"] == pytest.approx(2.0)
    assert found.loc[("hour", CUTOFF), "level_se"] == pytest.approx(0.003)
    assert found.loc[("3x128", CUTOFF), "lost"] == pytest.approx(found.loc[("hour", CUTOFF), "lost"])
    assert found.loc[("chains", CUTOFF), "lost"] == pytest.approx(0.3)
    assert found.loc[("chains", CUTOFF), "curves"] == 40
    assert found.loc[("shipped", CUTOFF), ["lost", "curves"]].tolist() == pytest.approx([0.2, 30])


def test_a_printed_number_loses_what_exact_bayes_is_above_it():
    """Three errors: of the network on all curves, of its loss on some, of the curves that were printed about."""
    lost = question.printed_loss(rows(), "P1", CUTOFF)
    assert lost is not None and lost.value == pytest.approx(2.1 - log_likelihood("P1", CUTOFF))
    of_loss = 0.02 * math.sqrt(50 / 49) / math.sqrt(50)
    assert lost.half == pytest.approx(1.96 * math.sqrt(0.003**2 + of_loss**2 + 0.004**2) + HALF, rel=1e-6)


def test_claims_hold_where_the_whole_interval_does():
    """The posterior at P3: near; far above P3: not near, and P1 is farther."""
    above_p3 = log_likelihood("P3", CUTOFF) - 2.0
    near = {c.name: c for c in question.claims(rows(lost=above_p3, chains_lose=0.17))}
    assert near[f"p3_is_bayes_at_{CUTOFF}"].holds() is True
    assert near[f"rebuilt_chains_are_m3_at_{CUTOFF}"].holds() is True
    far = {c.name: c for c in question.claims(rows(lost=above_p3 + 0.2))}
    assert far[f"p3_is_bayes_at_{CUTOFF}"].holds() is False
    assert far[f"p1_is_near_at_{CUTOFF}"].holds() is False
    below = {c.name: c for c in question.claims(rows(lost=log_likelihood("P1", CUTOFF) - 2.1))}
    assert below[f"p1_is_near_at_{CUTOFF}"].holds() is True


def test_without_chains_their_claim_has_no_verdict_and_the_rest_stands():
    """Parts of a long answer may be missing."""
    found = rows(missing=("chains",))
    claim = next(c for c in question.claims(found) if c.name.startswith("rebuilt"))
    assert claim.holds() is None and not claim.tested()
    assert question.tabulate(found)["chains"].iloc[1, 1] == "…"
    assert question.draw(found)["lost"].axes


def test_the_smallest_step_between_printed_networks_is_the_yardstick():
    """P3 and P2 after 40 epochs are 0.056 apart, P1 and P2 after 20 are 0.055."""
    assert question._smallest_step([10, 20, 40]) == pytest.approx(0.055)
