"""Guards ideas of the chapter Practice: one forecast for all programs, which evidence counts, who is stopped."""

import json
import sys

import numpy as np
import pandas as pd
import pytest

from curvecast.forecasting import network, shipped, torch_network
from curvecast.forecasting.finished_runs import Finished, Sharing
from curvecast.forecasting.normalise import METRICS, Scale
from curvecast.ground import weights_file
from presswork import contract, drawing
from reproduce.practice import _ship, stopping_for_real
from reproduce.practice.finished_bands import question as finished_bands
from reproduce.practice.finished_bands.with_finished import Case, Run, Task, worths
from reproduce.rival import freeze_thaw

TOLD = json.loads(_ship.REFERENCE.read_text())
NUMBERS = ("quantiles", "exceeds", "log_density")


def test_it_is_what_pytorch_says_of_these_runs():
    """Which also holds it to today's weights and to today's runs."""
    again = _ship.reference_forecasts(torch_network.load(shipped.PATH).model.double())
    assert len(again) == len(TOLD) == 20
    for one, other in zip(again, TOLD, strict=True):
        assert one["x"] == other["x"] and one["y"] == other["y"] and one["x_query"] == other["x_query"]
        for name in NUMBERS:
            assert np.allclose(one[name], other[name], rtol=0, atol=1e-9), name


@pytest.mark.parametrize(("kind", "allowed"), [(np.float64, 1e-9), (np.float32, 5e-5)])
def test_numpy_says_the_same(kind, allowed):
    """Ten digits in float64. In float32 four: a run that stands still is forecast so sharply that a chance changes fast."""
    state, info = weights_file.read(shipped.PATH)
    ours = network.Network(
        json.loads(info["config"])["model"], {name: value.astype(kind) for name, value in state.items()}
    )
    for told in TOLD:
        density = ours.density(*(np.array([told[name]]) for name in ("x", "y", "x_query")))
        at = np.array([told["at"]])
        found = {
            "quantiles": [density.quantile(level)[0] for level in told["levels"]],
            "exceeds": density.exceeds(at)[0],
            "log_density": density.log_density(at)[0],
        }
        for name in NUMBERS:
            assert np.allclose(found[name], told[name], rtol=0, atol=allowed), (name, told["x"])


def test_the_menu_of_the_live_figure_is_made_of_published_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(_ship, "EXAMPLES", tmp_path / "real_runs.json")
    assert _ship.write_examples().read_bytes() == (_ship.LIVE / "real_runs.json").read_bytes()


def curve(seed, length=30):
    rng, x = np.random.default_rng(seed), np.arange(1.0, length + 1)
    return np.clip(0.85 - 0.6 * x ** -rng.uniform(0.4, 1.2) + rng.normal(0, 0.01, length), 0, 1)


def runs(values):
    return [
        Run(Scale(METRICS["accuracy"], 0.5), Finished(np.arange(1.0, len(v) + 1), np.array(v)))
        for v in values
    ]


def test_a_run_is_never_its_own_evidence():
    """A run that is like no other keeps its bad forecast, however often it is in the task."""
    task = Task("t", "", runs([curve(i) for i in range(11)] + [np.r_[curve(50)[:10], np.full(20, 0.1)]]))
    cases = [Case(0), Case(11)]
    network, rng = shipped.load().network, np.random.default_rng(0)
    found = [
        (case.finished, told) for i, case, told in worths(network, task, 0.33, cases, 12, rng) if i == 11
    ]
    assert [n for n, _ in found] == [0, 11] and all(told.in90 < 0.5 for _, told in found)


def test_the_library_has_what_the_published_rows_choose():
    """What is believed of runs is a constant of the library, and the question shows where it comes from."""
    rows, _ = drawing.rows_on_disk(contract.load("finished_bands"), "laptop", contract.ROOT / "figures")
    assert finished_bands.sharing(rows["candidates"]) == Sharing()


# ------------------------------------------------------------------------------------------- beside freeze-thaw

POOL = (
    0.5 + np.arange(4)[:, None] / 10 - 0.4 * np.exp(-np.arange(1, 21) / 4)
)  # (4, 20), rising by then to other ends


def test_without_its_environment_one_sentence_says_how_to_make_it(tmp_path, capsys):
    assert not freeze_thaw.installed(tmp_path)
    told = capsys.readouterr().out
    assert told.count("\n") == 1 and "pip install 'syne-tune[gpsearchers]==0.14.2'" in told


@pytest.mark.slow
def test_freeze_thaw_answers_a_pool_a_line(tmp_path):
    """A stand-in that answers with the last values."""
    program = tmp_path / freeze_thaw.PYTHON
    program.parent.mkdir(parents=True)
    answer = "import json, sys; [print([row[-1] for row in y]) for y, _ in map(json.loads, sys.stdin)]"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{answer}"\n')
    program.chmod(0o755)
    assert freeze_thaw.ends([], tmp_path / "not installed") == []
    told = freeze_thaw.ends([(POOL[:, :5], 20), (POOL[:2, :3], 20)], tmp_path)
    assert told == [POOL[:, 4].tolist(), POOL[:2, 2].tolist()]


@pytest.mark.slow
@pytest.mark.skipif(not (contract.ROOT / freeze_thaw.PYTHON).exists(), reason=freeze_thaw.WAY)
def test_freeze_thaw_itself_knows_which_run_is_ahead():
    (told,) = freeze_thaw.ends([(POOL[:, :8], 20)], contract.ROOT)
    assert (np.diff(told) > 0).all()


def test_who_asks_freeze_thaw_has_the_regret_of_its_picks():
    """None of a choice that is perfect, that of chance or worse of the opposite one; without its answers, none at all."""
    ends = np.arange(12.0)
    picks = pd.DataFrame({"source": "own", "unit": "u", "task": "t", "run": range(12), "end": ends,
                          "shipped": ends, "last": -ends})  # fmt: skip
    thawed = picks[["source", "task", "run"]].assign(thawed=ends[::-1])
    regrets = stopping_for_real.regrets_of_picks(picks, thawed).iloc[0]
    assert regrets["shipped"] == 0 and regrets["thawed"] == regrets["last"] > 1
    assert np.isnan(stopping_for_real.regrets_of_picks(picks, thawed[:0])["thawed"]).all()
