"""Guards reproduce/new_data/own_curves: kinds of curves, scales, and claims that follow rows."""

import json
import math

import numpy as np
import pandas as pd
import pytest

from reproduce.new_data import _our_runs
from reproduce.new_data import own_curves as question
from reproduce.protocols.own_runs import own_runs

CONFIG = question.SCALES["smoke"]


@pytest.fixture(scope="module")
def rows(smoke_rows):
    return smoke_rows("own_curves")


def test_a_smaller_scale_is_a_part_of_the_larger_one():
    """At laptop scale 250 runs, at paper scale more than a thousand, these among them."""

    def named(scale: str) -> set[str]:
        config = question.SCALES[scale]
        return {
            run.name
            for part in question.parts(config)
            for bank in question.banks(config, part)
            for run in bank
        }

    assert len(named("laptop")) == 250 and len(named("paper")) == 1100 and named("laptop") < named("paper")


def run_of(
    name: str, accuracy: list[float], loss: list[float], broke: float | None = None
) -> dict[str, pd.DataFrame]:
    row = {"run": name, "learner": "networks", "task": "wine", "group": name, "seed": 0, "x": "epoch", "classes": 2,
           "guess": 0.5, "broke": math.nan if broke is None else broke, "settings": json.dumps({})}  # fmt: skip
    points = {"run": name, "step": range(1, len(loss) + 1), "accuracy": accuracy, "loss": loss}
    return {"runs": pd.DataFrame([row]), "rows": pd.DataFrame(points)}


UP, DOWN = list(np.linspace(0.6, 0.9, 40)), list(np.linspace(0.9, 0.65, 40))
LOSS, TURNS = list(np.linspace(0.7, 0.2, 40)), [*np.linspace(0.7, 0.2, 20), *np.linspace(0.2, 0.5, 20)]


@pytest.mark.parametrize(
    ("name", "accuracy", "loss", "broke"),
    [
        ("rises", UP, LOSS, None), ("overfits", UP, TURNS, None), ("flat", [0.5] * 40, LOSS, None),
        ("late", [0.5] * 10 + [0.9] * 30, LOSS, None), ("collapses", DOWN, LOSS, None),
        ("diverges", UP, LOSS, 7.0), ("diverges", UP, [*LOSS[:-1], 9.0], None),
    ],
)  # fmt: skip
def test_a_curve_is_of_the_kind_that_it_looks_like(name, accuracy, loss, broke):
    (pair,) = _our_runs.pairs(own_runs(run_of("a", accuracy, loss, broke)))
    assert _our_runs.kind(pair) == name in _our_runs.KINDS


def together(*runs: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {table: pd.concat([run[table] for run in runs], ignore_index=True) for table in ("runs", "rows")}


def test_claims_hold_and_fail_with_the_rows():
    """Of falling, late and overfitting runs they hold; of runs that rise, none does."""
    late = [0.5] * 10 + [0.9] * 30
    bad = [run_of(f"b{i}", DOWN if i % 2 else late, TURNS) for i in range(40)]
    good = [run_of(f"g{i}", UP, LOSS) for i in range(40)]
    assert all(claim.holds() for claim in question.claims(together(*bad)))
    assert not any(claim.holds() for claim in question.claims(together(*good)))
    cells = question.tabulate(together(*bad, *good))["learners"].iloc[0]
    assert cells["runs"] == "80" and cells["takes off late"] == "20" and cells["none of these"] == "40"


def test_a_gallery_needs_not_every_kind(rows):
    """A panel stays empty where there is no such run."""
    assert set(question.draw(run_of("a", UP, LOSS))) == set(question.draw(rows)) == {"gallery"}
