"""Guards reproduce/practice/search_with_pruner: all pruners get the same networks, and their cost is counted right."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from reproduce.practice.search_with_pruner import question, searches

COLUMNS = list(question.TABLES["rows"])


def row(
    repeat: int, pruner: str, epochs: int, held: float = 0.9, same: int = 10, asking: float = 1.0
) -> tuple:
    return ("random", repeat, pruner, epochs, 0, held, held, same, epochs / 100, asking)


def rows(ours: int, same: int, held: float = 0.9, asking: float = 1.0) -> pd.DataFrame:
    """Ten repeats of which no two are alike: whole searches of a thousand epochs and more, and what ours made of them."""
    lines = []
    for repeat in range(10):
        for pruner in searches.PRUNERS:
            lines.append(row(repeat, pruner, 1000 + repeat, same=500))
        lines[-len(searches.PRUNERS) + 1] = row(repeat, "ours", ours + repeat, held, same, asking)
    return pd.DataFrame(lines, columns=COLUMNS)


@pytest.fixture(scope="module")
def tried():
    """A search of three networks and four epochs without a pruner, and with the one that is quickest to end."""
    own = searches.Networks(0)
    return {name: searches.search("random", name, own, 0, 3, 4) for name in ("none", "halving")}


def test_every_pruner_meets_the_same_networks(tried):
    """What both trained is the same, to the last bit."""
    whole, some = tried["none"].epochs, tried["halving"].epochs
    both = whole.merge(some, on=["trial", "epoch"], suffixes=("", "_too"))
    assert len(both) == len(some) < len(whole) == 12
    assert both["held"].equals(both["held_too"]) and both["training"].equals(both["training_too"])


def test_a_trial_is_pruned_where_its_epochs_end(tried):
    """And only there."""
    epochs = tried["halving"].epochs.groupby("trial").size()
    assert [n < 4 for n in epochs] == tried["halving"].pruned and any(tried["halving"].pruned)


def test_a_network_is_trained_once():
    """As far as the furthest of those who asked."""
    own = searches.Networks(0)
    settings = {"width": 4, "rate": 0.1, "batch": 256, "decay": 1e-4}
    network = own.of(0, settings)
    assert own.of(0, dict(settings)) is network is not own.of(1, settings)
    assert network.epoch(2) is network.epoch(2)
    assert network.epoch(1).held < 1 and len(network._epochs) == 2


def test_nobody_sees_the_test_pictures():
    """The three parts share no picture."""
    parts = searches.Digits.drawn(3)
    assert [len(y) for _, y in parts] == [898, 449, 450]
    assert sum(len(x) for x, _ in parts) == 1797


def test_a_search_that_never_reaches_the_score_pays_for_the_whole_one_too():
    """Nine are there after 100 of 500 epochs; the tenth has spent its 300 and then 500."""
    found = rows(300, 100)
    found.loc[(found["pruner"] == "ours") & (found["repeat"] == 0), ["same", "epochs"]] = [
        question.NEVER,
        300,
    ]
    told = question.cost_of_the_same(found, "ours")
    assert told.value == pytest.approx((9 * 100 + 800) / 5000) and told.low < told.value < told.high


def test_a_ratio_has_the_interval_of_fieller():
    """At its ends a t test cannot tell whether above - r * below is 0 on average."""
    rng = np.random.default_rng(0)
    below = pd.Series(rng.normal(10, 3, 12))
    above = 0.4 * below + rng.normal(0, 1, 12)
    value, *ends = question.ratio(above, below)
    assert value == above.sum() / below.sum()
    assert [ttest_1samp(above - r * below, 0).pvalue for r in ends] == pytest.approx([0.05, 0.05])
    assert question.ratio(above, below - below.mean()) is None


def named(found: pd.DataFrame) -> dict:
    return {claim.name: claim for claim in question.claims({"rows": found})}


def test_claims_follow_their_rows():
    """A pruner that spends a third and loses nothing, and one that spends all and loses four pictures."""
    good, bad = named(rows(333, 200)), named(rows(900, 600, held=0.9 - 4 / 449, asking=30.0))
    for name in ("same_score", "all_epochs", "held_out", "test", "beats_patience", "seconds"):
        assert good[name].holds(), name
    for name in ("same_score", "all_epochs", "held_out"):
        assert bad[name].holds() is False, name
    assert bad["held_out"].value == pytest.approx(4)


@pytest.mark.parametrize(("fewer", "holds"), [(2, True), (-2, False)])
def test_the_median_pruner_is_beaten_where_it_finds_fewer_pictures(fewer, holds):
    """And not where it finds more."""
    found = rows(333, 200)
    found.loc[found["pruner"] == "median", "held"] -= fewer / 449
    told = named(found)["beats_median"]
    assert told.holds() is holds and told.value == pytest.approx(fewer)


def test_searches_are_paired_by_repeat_in_whatever_order_they_stand():
    """Half of the epochs in each repeat is half, without any doubt."""
    whole = [("none", repeat, 1000 * (repeat + 1)) for repeat in range(10)]
    halves = [("ours", repeat, epochs // 2) for _, repeat, epochs in reversed(whole)]
    found = pd.DataFrame(whole + halves, columns=["pruner", "repeat", "epochs"])
    assert question.against(found, "ours", "none", "epochs") == pytest.approx((0.5, 0.5, 0.5))


def test_the_score_is_the_best_epoch_of_a_complete_trial():
    """Of equal ones the first. It stands when that trial is over, and a search that completes none has found nothing."""
    lines = [(0, 1, 0.8, 0.4), (1, 1, 0.7, 0.6), (1, 2, 0.7, 0.1), (2, 1, 0.75, 0.3), (2, 2, 0.6, 0.2)]
    trained = pd.DataFrame([(*line, 1.0, 0.5) for line in lines], columns=list(searches.COLUMNS))

    def scored(pruned: list[bool], best: float) -> list[float]:
        found = question._row(searches.Search(trained, pruned), best)
        return [found[what] for what in ("epochs", "pruned", "held", "test", "same")]

    assert scored([True, False, False], 0.7) == [5, 1, 0.75, 0.3, 3]
    assert scored([True, False, False], 0.8) == [5, 1, 0.75, 0.3, question.NEVER]
    assert scored([True, False, True], 0.7) == [5, 2, 0.7, 0.6, 3]
    assert scored([True, True, True], 0.7) == [5, 3, 0.0, 0.0, question.NEVER]
