"""Guards reproduce/new_data/real_curves on a small folder of MADE-UP curves: they are no measurement of anything."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from curvecast.curves.tuning_and_test import side
from reproduce.new_data import _chosen as chosen
from reproduce.new_data import _scores_by_benchmark as scores
from reproduce.new_data import real_curves as question
from reproduce.new_data._chosen import ROWS
from reproduce.new_data._forecasters import TINY
from tests.protocols.made_up_tables import Made, write

GROUPS = [f"made up {i}" for i in range(14)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables in the layout of the real ones, for two rows: rising accuracies, falling losses of which one diverges."""
    made = []
    for row, source in (("deepobs", "made_up_a"), ("taskset", "made_up_b")):
        minimise = row == "taskset"
        for i, group in enumerate(GROUPS):
            rng, x = np.random.default_rng(i), np.arange(1.0, 31)
            y = 0.85 - 0.6 * x ** -rng.uniform(0.4, 1.2) + rng.normal(0, 0.01, 30)
            y = 1 - y if minimise else y
            if minimise and i % 2:
                y[20:] = 1e9
            about = (ROWS[row].file, source, f"task {i % 3}", group, ROWS[row].metric, minimise)
            made.append(Made(*about, "" if minimise else 1, y))
    return write(tmp_path_factory.mktemp("made-up"), made)


CONFIG = replace(
    question.SCALES["smoke"],
    rows=("deepobs", "taskset"),
    curves=12,
    asked=replace(TINY, kinds=("simple", "fits", "exact")),
)


@pytest.fixture(scope="module")
def rows(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURVECAST_DATA", str(folder))
        parts = [question.measure(CONFIG, part) for part in question.parts(CONFIG)]
    names = {name for part in parts for name in part}
    return {
        name: pd.concat([part[name] for part in parts if name in part], ignore_index=True) for name in names
    }


def test_only_curves_of_the_side_are_read(folder, monkeypatch):
    """The tuning set and the test set share no group, and together they are all curves."""
    monkeypatch.setenv("CURVECAST_DATA", str(folder))
    groups = {
        which: {one.curve.group for one in chosen.chosen("deepobs", which, 99, 0)}
        for which in ("look", "judge")
    }
    assert groups["look"] and groups["judge"] and not groups["look"] & groups["judge"]
    assert groups["look"] | groups["judge"] == set(GROUPS)
    assert all(side("made_up_a", group) == "look" for group in groups["look"])


def test_fewer_curves_are_the_first_of_more(folder, monkeypatch):
    """So that slow forecasters see some of those that the others see."""
    monkeypatch.setenv("CURVECAST_DATA", str(folder))
    few, more = (chosen.chosen("taskset", "look", most, 0) for most in (2, 5))
    assert [one.curve.curve_id for one in few] == [one.curve.curve_id for one in more[:2]]


def test_every_method_forecasts_every_curve_and_the_slow_ones_a_few(rows):
    """A line for each curve, share and method."""
    count = len(rows["curves"])
    per_method = rows["rows"].groupby("method").size()
    assert per_method["last"] == per_method["pow3"] == 4 * count
    assert per_method["exact"] == 4 * 2 * CONFIG.slow
    assert rows["curves"]["clipped"].max() == pytest.approx(1 / 3, abs=1e-3)
    assert set(rows["curves"]["licence"]) == {"made up"} and set(rows["curves"]["side"]) == {"judge"}


def test_the_last_value_is_as_good_as_itself(rows):
    """Its ratio is one in each cell, a flat end included."""
    found = scores.each(rows)
    assert found[found["method"] == "last"]["ratio"].eq(1).all()
    for row in CONFIG.rows:
        assert scores.crps_ratio(found, row, "last", "last") == 1
        assert np.isnan(scores.crps_ratio(found, row, "shipped", "last"))


def test_a_fit_beats_the_last_value_on_curves_of_its_family(rows):
    """Early on a rising power law is foreseen by one, and its rank is better."""
    found = scores.each(rows)
    told = scores.cells(found, "ratio", ("pow3",))["pow3", "deepobs", 20]
    assert told.value < 1
    rank = scores.ranks(found, "deepobs")
    assert rank["pow3"] < rank["last"] and rank.mean() == pytest.approx((len(rank) + 1) / 2)


def test_too_wide_and_too_narrow_cancel_in_the_mean_and_not_in_the_distance():
    """Coverage 100 % on one benchmark and 80 % on another is right on average, and ten points off in every cell."""
    found = pd.DataFrame([
        (row, i, seen, method, f"{i % 3}", held, held, 1.0)
        for row, *both in (("deepobs", 1.0, 0.5), ("taskset", 0.8, 0.5))
        for method, held in zip((scores.OURS, scores.OLD), both, strict=True)
        for i in range(6) for seen in scores.EARLY
    ], columns=["row", "curve", "seen", "method", "group", "in90", "in50", "ratio"])  # fmt: skip
    own = found[found["method"] == scores.OURS]
    assert question.coverage(own).value == pytest.approx(90)
    assert question.coverage(own, question.distance).value == pytest.approx(10)
    assert question.gain(found, question.distance) is None  # seven benchmarks are missing
    nine = pd.concat([found[found["row"] == "deepobs"].assign(row=row) for row in ROWS])
    assert question.gain(nine, question.distance).value == pytest.approx(-30)
    three = nine["row"].isin([row for row, one in ROWS.items() if one.source == "algoperf"])
    nine.loc[three & (nine["method"] == scores.OURS), "in90"] = (
        0.5  # as the previous release: one of seven sources
    )
    assert question.gain(nine, question.distance).value == pytest.approx(-30 * 6 / 7)


def test_the_exact_posterior_is_asked_again_with_more_effort(folder, monkeypatch):
    """Each curve, share and effort once; coverage is a share, and there is an effective size."""
    monkeypatch.setenv("CURVECAST_DATA", str(folder))
    config = replace(question.SCALES["smoke"], slow=2)
    found = question.measure(config, "effort.deepobs")["effort"]
    assert len(found) == 2 * 3 * 3 == len(found.drop_duplicates(["curve", "seen", "effort"]))
    assert found["in90"].between(0, 1).all() and found["ess"].gt(0).all()
