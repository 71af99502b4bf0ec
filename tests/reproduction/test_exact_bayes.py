"""Guards reproduce/reproduction/exact_bayes/question.py and what it shares: losses are paired, and the exact
posterior is checked at its worst cutoff."""

import numpy as np
import pandas as pd
import pytest
import torch

from reproduce._press.intervals import Interval
from reproduce.reproduction.exact_bayes import calibration, checks_of_posterior, paired_methods, scaling_law
from reproduce.reproduction.exact_bayes import question as exact_bayes

N = 200
RANDOM = np.random.default_rng(0)
CURVES = RANDOM.normal(2.0, 0.5, N)  # what all methods have in common


def ll(method: str, below: float, cutoff: int, n: int = N, noise: float = 0.02) -> pd.DataFrame:
    values = CURVES[:n] - below + noise * RANDOM.normal(size=n)
    return pd.DataFrame({"method": method, "cutoff": cutoff, "curve": range(n), "ll": values})


def answer(lost: dict[str, float], cutoffs=(10, 20), ess=500.0, place=None) -> dict[str, pd.DataFrame]:
    frames = [ll(name, below, c) for c in cutoffs for name, below in {"exact": 0.0, **lost}.items()]
    work = [
        pd.DataFrame({"method": "exact", "cutoff": c, "curve": range(N), "ess": ess, "ess_bank": 50.0, "rises": 2,
                      "accepted": 0.2, "bank_seconds": 2.0, "seconds": np.repeat(np.linspace(0.5, 0.6, 20), 10)})
        for c in cutoffs
    ]  # fmt: skip
    place = torch.rand(N, 50, generator=torch.Generator().manual_seed(0)) if place is None else place
    return {
        "rows": pd.concat(frames), "work": pd.concat(work),
        "calibration": pd.concat([calibration.rows("exact", c, place) for c in cutoffs]),
    }  # fmt: skip


def held(rows: dict[str, pd.DataFrame], scale: str = "laptop") -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in exact_bayes.claims(rows, exact_bayes.SCALES[scale])}


def test_a_lead_is_paired_by_curve():
    """The curves' own spread of half a nat cancels; only curves that both have count."""
    rows = pd.concat([ll("exact", 0.0, 10), ll("3x128", 0.1, 10, n=100)])
    lead = paired_methods.lead(rows, "exact", "3x128", 10)
    assert lead.value == pytest.approx(0.1, abs=0.01) and lead.half == pytest.approx(0.0055, rel=0.3)
    assert paired_methods.lead(rows, "exact", "P1", 10) is None


def test_claims_hold_where_the_rows_say_so():
    """A small loss, chains that lose more, a posterior in order."""
    found = held(answer({"3x128": 0.1, "chains": 0.3, "doubled": 0.0}))
    for name in ("loses_little_at_10", "network_beats_chains_at_10", "judge_is_calibrated", "doubling_changes_nothing",
                 "judge_is_not_beaten", "judge_is_large_enough", "judge_is_quick"):  # fmt: skip
        assert found[name] is True, name
    assert found["chains_are_near_at_10"] is False
    assert found["loses_little_at_5"] is None and found["ten_times_the_training_at_10"] is None


def test_claims_fail_where_the_rows_say_so():
    """A large loss, better chains; a posterior that is beaten, changes when doubled, is too small and too narrow."""
    sure = 0.5 + (torch.rand(N, 50, generator=torch.Generator().manual_seed(0)) - 0.5) * 0.7
    found = held(answer({"3x128": 0.3, "chains": -0.1, "doubled": 0.1}, ess=50.0, place=sure))
    for name in ("loses_little_at_10", "network_beats_chains_at_10", "judge_is_calibrated", "doubling_changes_nothing",
                 "judge_is_not_beaten", "judge_is_large_enough"):  # fmt: skip
        assert found[name] is False, name
    assert found["chains_are_near_at_10"] is True


def test_one_bad_cutoff_is_enough():
    """The posterior is exact enough only if it is in order at each of them."""
    rows = answer({"3x128": 0.1, "chains": 0.3, "doubled": 0.0})
    rows["work"].loc[rows["work"]["cutoff"] == 20, "ess"] = 50.0
    worse = rows["rows"]["method"].eq("doubled") & rows["rows"]["cutoff"].eq(20)
    rows["rows"].loc[worse, "ll"] -= 0.1
    found = held(rows)
    assert found["judge_is_large_enough"] is False and found["doubling_changes_nothing"] is False


def test_the_power_law_is_found():
    """Losses that halve with each doubling of the training have the power 1, within four standard errors of this draw."""
    ladder = {"3x128-12k": 1, "3x128-24k": 2, "3x128-48k": 4, "3x128-96k": 8}
    rows = answer({name: 0.4 / times for name, times in ladder.items()})
    rows["training"] = pd.DataFrame(
        {"method": list(ladder), "parameters": 1000, "curves": list(ladder.values())}
    )
    fit = scaling_law.power_law(rows, list(ladder), 10)
    assert abs(fit.power.value - 1.0) < fit.power.high - fit.power.low < 0.15
    assert fit.scale == pytest.approx(0.4, rel=0.05)
    assert scaling_law.power_law(rows, list(ladder)[:3], 10) is None


def test_places_become_shares():
    """Uniform places fill each bin alike and each band as promised; all at the median fill one bin and every band."""
    even = ((torch.arange(1000) + 0.5) / 1000).expand(3, -1)
    rows = calibration.rows("exact", 10, even)
    assert np.allclose(rows[rows["kind"] == "pit"]["share"], 1 / calibration.BINS, atol=1e-6)
    bands = rows[rows["kind"] == "band"]
    assert np.allclose(bands["share"], bands["at"], atol=2e-3)
    middle = calibration.rows("exact", 10, torch.full((3, 10), 0.5))
    assert (middle[middle["kind"] == "band"]["share"] == 1).all()
    assert middle[middle["kind"] == "pit"]["share"].max() == 1


def test_a_share_has_the_interval_of_clopper_and_pearson():
    """39 of 40 may well be less than nine tenths; 10 of 10 is not certain; none of 10 is not impossible."""
    found = [
        Interval.clopper_pearson(pd.Series([True] * k + [False] * (n - k)))
        for k, n in ((39, 40), (10, 10), (0, 10))
    ]
    assert [round(end, 3) for one in found for end in (one.low, one.high)] == [
        0.868,
        0.999,
        0.692,
        1.0,
        0.0,
        0.308,
    ]


def test_a_lead_shrinks_if_it_does_at_each_step():
    """From 0.2 over 0.1 to 0.05 it shrinks; if it grows first it does not; with one cutoff nothing is said."""
    for near, middle, far, holds in ((0.3, 0.2, 0.15, True), (0.3, 0.4, 0.15, False)):
        rows = {"rows": pd.concat([ll(name, lost, c) for c, chains in ((10, near), (20, middle), (40, far))
                                   for name, lost in (("exact", 0.0), ("3x128", 0.1), ("chains", chains))])}  # fmt: skip
        rows["calibration"] = answer({})["calibration"]
        assert held(rows, "paper")["lead_over_chains_shrinks"] is holds
        assert held(rows, "laptop")["lead_over_chains_shrinks"] is None


def test_the_seconds_of_the_posterior_include_its_bank():
    """Two hundred seconds of bank for two hundred curves are a second a curve: too slow where half a second was not."""
    rows = answer({"3x128": 0.1})
    assert held(rows)["judge_is_quick"] is True
    rows["work"]["bank_seconds"] = rows["work"]["bank_seconds"].where(rows["work"]["cutoff"] == 10, 200.0)
    assert held(rows)["judge_is_quick"] is False


def test_a_narrow_interval_that_covers_too_little_at_one_cutoff_is_a_flaw():
    """At the cutoff where it is surest; a posterior in order has none."""
    rows = answer({"3x128": 0.1, "doubled": 0.0})
    fine = {c.name: c for c in exact_bayes.claims(rows, exact_bayes.SCALES["laptop"])}
    assert fine["narrow_band_is_too_narrow"].holds() is not False
    thin = (rows["calibration"]["cutoff"] == 20) & (rows["calibration"]["at"] == 0.1)
    rows["calibration"].loc[thin, ["share", "se"]] = 0.08, 0.001
    flawed = {c.name: c for c in exact_bayes.claims(rows, exact_bayes.SCALES["laptop"])}
    assert flawed["narrow_band_is_too_narrow"].holds() is False
    assert flawed["narrow_band_is_too_narrow"].value == pytest.approx(0.08)


def test_what_doubling_changes_is_shown_by_cutoff_and_by_curve():
    """A claim and a line for each; one curve that moves by a nat stands in the line."""
    rows = answer({"3x128": 0.1, "doubled": 0.0})
    assert held(rows)["doubling_moves_at_10"] is True and held(rows)["doubling_moves_at_20"] is True
    one = rows["rows"]["method"].eq("doubled") & rows["rows"]["cutoff"].eq(20) & rows["rows"]["curve"].eq(3)
    rows["rows"].loc[one, "ll"] += 1.0
    table = checks_of_posterior.doubled_table(rows).set_index("observed epochs")
    assert float(table.loc["20", "largest change"]) == pytest.approx(1.0, abs=0.1)
    assert abs(float(table.loc["20", "median"])) < 0.01
