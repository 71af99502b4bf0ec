"""Guards reproduce/reproduction/slips/question.py: a standard error counts what it says, and its answers can be no."""

import math

import numpy as np
import pandas as pd
import pytest
import torch

from reproduce.printed import numbers
from reproduce.reproduction.slips import papers_own_table
from reproduce.reproduction.slips import question as slips

CONFIG = slips.SCALES["laptop"]
NOISE = np.random.default_rng(0).normal(size=4000)


def rows(between: float, within: float = 0.8) -> pd.DataFrame:
    """Log-densities that follow the noise of their curve, with this spread between curves and that within one."""
    columns = {"ln_sigma": NOISE - 4}
    for cutoff in CONFIG.cutoffs:
        columns |= {f"mean{cutoff}": -between * NOISE, f"square{cutoff}": (between * NOISE) ** 2 + within**2}
    return pd.DataFrame(columns)


def answers(table: pd.DataFrame) -> dict[str, bool | None]:
    return {claim.name: claim.holds() for claim in slips.claims({"rows": table}, CONFIG)}


def test_each_way_of_counting_gives_its_closed_form():
    """Scores as wide as ln sigma: 1 / 100 over curves, sqrt(1/2) of it by the printed law, all points for points."""
    found = {w: slips.standard_error(rows(1.0), 80, w, CONFIG.printed_sd) for w in slips.WAYS}
    expected = {
        "curves": 0.01,
        "printed": 0.01 * 0.5**0.5,
        "points": math.sqrt(1 + 0.8**2) / math.sqrt(200_000),
    }
    for way, value in expected.items():
        assert found[way].value == pytest.approx(value, abs=4 * found[way].se), way


def test_the_error_of_a_spread_is_that_of_many_draws():
    """For normal values the error of a standard deviation is sd / sqrt(2 n)."""
    values = torch.from_numpy(NOISE)
    found = slips.spread(values, values**2, torch.ones(len(values)))
    assert found.se == pytest.approx(1 / math.sqrt(2 * len(values)), rel=0.1)


def test_the_claims_fail_where_the_errors_are_others():
    """With half the spread the code's law does not fit; with twice the spread the printed law is not ruled out."""
    usual = answers(rows(1.0))
    assert all(usual[name] for name in usual if "errors" in name)
    assert answers(rows(0.5))["errors_fit_the_code"] is False
    assert answers(rows(2.0))["errors_rule_out_the_print"] is False
    assert answers(rows(1.0, within=3.0))["network_errors_fit_points"] is False
    assert answers(rows(0.2))["network_errors_rule_out_curves"] is False


def test_the_normaliser_keeps_the_middle_only_with_the_right_middle():
    """The consistent b sends the middle of any range to one half, the printed one only if l = -u."""
    for low, high in slips.SOFT:
        middle = (low + high) / 2
        printed = slips.normalised(middle, low, high, -(high + low) / (high - low))
        assert slips.normalised(middle, low, high, middle) == pytest.approx(0.5)
        assert (printed == pytest.approx(0.5)) == (low == -high)


@pytest.fixture
def own_table(monkeypatch):
    """The printed numbers with some of them replaced: {(method, quantity, cutoff): value}."""

    def claims(changes: dict[tuple[str, str, int | None], float]) -> dict[str, bool | None]:
        table = numbers.printed().copy()
        for (method, quantity, cutoff), value in changes.items():
            at = table["cutoff"].isna() if cutoff is None else table["cutoff"] == cutoff
            hit = (table["method"] == method) & (table["quantity"] == quantity) & at
            assert hit.sum() == 1
            table.loc[hit, "value"] = value
        monkeypatch.setattr(papers_own_table, "printed", lambda: table)
        return {claim.name: claim.holds() for claim in papers_own_table.claims()}

    return claims


def test_all_printed_networks_are_compared(own_table):
    """Table 5 has 25 networks, at four cutoffs each; what was read off a figure is left out."""
    assert papers_own_table.networks("log-likelihood").shape == (25, 4)


@pytest.mark.parametrize(
    ("change", "name", "holds"),
    [
        ((("P2", "log-likelihood", 10), 1.640), "own_table_beats_chains", False),
        ((("P2", "log-likelihood", 10), 1.643), "own_table_beats_chains", None),
        ((("1M curves, 12 layers, 512 wide", "log-likelihood", 80), 2.6), "own_table_data", False),
        ((("P2", "seconds per curve", None), 0.01), "own_table_speed", False),
        ((("P3", "seconds per curve", None), 0.2), "own_table_seconds", False),
    ],
)
def test_each_sentence_of_the_paper_could_fail_in_its_table(own_table, change, name, holds):
    """Another printed number gives another answer, and what rounding does not decide is unclear."""
    assert own_table({})[name] is True
    assert own_table(dict([change]))[name] is holds


def test_a_table_in_order_would_pass(own_table):
    """The two answers no would be yes if the table were as the paper says."""
    before = own_table({})
    assert before["own_table_size"] is False and before["own_table_gap"] is False
    assert own_table({("M3", "log-likelihood", 10): 1.55})["own_table_gap"] is True
    higher = {("P3", "log-likelihood", 40): 2.407, ("P3", "log-likelihood", 80): 2.53}
    assert own_table(higher)["own_table_size"] is True
