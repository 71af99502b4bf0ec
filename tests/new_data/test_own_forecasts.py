"""Guards reproduce/new_data/own_forecasts at smoke scale: our own real runs, few of them and hardly trained networks."""

import numpy as np
import pytest

from reproduce.new_data import _cells, _chosen_runs
from reproduce.new_data.own_forecasts import gallery, question
from reproduce.protocols.own_runs import own_runs

CONFIG = question.SCALES["smoke"]


@pytest.fixture(scope="module")
def rows(smoke_rows):
    return smoke_rows("own_forecasts")


@pytest.fixture(scope="module")
def own(smoke_rows):
    return smoke_rows("own_curves")


def test_each_row_of_the_report_holds_its_own_runs_alone(own):
    """Together they are all runs with enough points, each with its kind."""
    found = {row: _chosen_runs.put(own, row, 10_000, 0) for row in _chosen_runs.TITLES}
    for row, some in found.items():
        metric, x = row.split("-")
        assert {(one.run.metric, one.run.x) for one in some} == {(metric, x)}
    assert sum(map(len, found.values())) == len(own_runs(own))


def test_all_methods_see_the_same_runs(rows):
    """The slow ones the first of them."""
    counts = rows["rows"].groupby(["row", "method"])["curve"].nunique().unstack()
    there = rows["curves"].groupby("row").size()
    quick = counts[["last", "pow3", "shipped", "old", "new", "ours", "paper"]]
    assert quick.eq(there, axis=0).to_numpy().all()
    assert (counts[["exact", "vector"]].to_numpy() == CONFIG.slow).all()


def test_the_gallery_holds_the_best_and_the_worst(rows):
    """By the CRPS of the released model divided by the last value's."""
    for row in CONFIG.rows:
        own = rows["rows"][(rows["rows"]["row"] == row) & (rows["rows"]["seen"] == gallery.AT)]
        wide = own.pivot(index="curve", columns="method", values="crps")
        times = wide["shipped"] / (wide["last"] + 1e-6)
        shown = rows["shown"][rows["shown"]["row"] == row]
        assert {times.idxmin(), times.idxmax()} == set(shown["curve"])


def test_bands_of_the_gallery_lie_in_order_behind_what_was_seen(rows):
    """Nothing is forecast of the points that were shown."""
    for _, own in rows["shown"].groupby(["row", "place"]):
        bands = own[list(gallery.BANDS)].to_numpy()
        ahead = ~np.isnan(bands).any(1)
        assert not ahead[0] and ahead[-1] and (np.diff(ahead.astype(int)) >= 0).all()
        assert (np.diff(bands[ahead], axis=1) >= 0).all()


def test_every_forecast_counts_in_the_table_of_kinds(rows):
    """The curves of all kinds are all curves."""
    table = question.tabulate(rows)["kinds"]
    assert table["curves"].astype(int).sum() == len(rows["curves"])
    assert len(_cells.each(rows)) == rows["rows"]["crps"].notna().sum()
