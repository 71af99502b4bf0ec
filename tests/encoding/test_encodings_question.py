"""Guards the answers about encodings: what is paired, what is asked, and what has no answer when parts are missing."""

import numpy as np
import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.networks.encodings import EncodingConfig
from reproduce.encoding import _cell_differences, _unpractised_epochs
from reproduce.encoding._cell_names import CELLS, Cell
from reproduce.encoding._encoded_network import Encoded
from reproduce.encoding.encoding_shapes import claims
from reproduce.encoding.encodings import question as encodings
from reproduce.trainings import TINY

CONFIG = encodings.SCALES["laptop"]


def rows(levels, seeds=3, spread=0.01):
    """Made up: every cell scores its level, plus the same noise for each curve and the same shift for each seed."""
    noise = np.random.default_rng(0).normal(size=100)
    noise, frames, horizon, training = noise - noise.mean(), [], [], []
    for (name, fed), level in levels.items():
        for seed in range(seeds):
            part = Cell("pfn", name, fed, seed).part
            score = level + noise + 0.1 * seed + spread * seed * (name != "none")
            each = {f"at{c}": score for c in CONFIG.cutoffs} | dict.fromkeys(
                encodings._figures_and_tables.GRIDS, score
            )
            frames.append(pd.DataFrame({"part": part, "curve": range(100)} | each))
            horizon.append(
                pd.DataFrame({"part": part, "ahead": _unpractised_epochs.DISTANCES, "error": 0.02})
            )
            training.append(pd.DataFrame([{"part": part, "seconds": 9.0, "loss": -2.0, "parameters": 0}]))
    return {"each": pd.concat(frames), "horizon": pd.concat(horizon), "training": pd.concat(training)}


LEVELS = {("none", True): 2.0, ("none", False): 1.0, ("rope", True): 2.0, ("rope", False): 1.98}


def test_a_difference_is_paired_by_curve_and_by_seed():
    """What curves and seeds share cancels: the interval is Student's t over what the seeds do not share."""
    found = _cell_differences.gap(rows(LEVELS), ("rope", False), ("none", True), ["at10"])
    assert found.value == pytest.approx(-0.02 + 0.01)  # the mean of 0, 0.01, 0.02 on top
    assert found.high - found.value == pytest.approx(4.303 * 0.01 / 3**0.5, rel=1e-3)


def test_one_seed_claims_nothing_and_a_missing_part_leaves_the_rest():
    """With one seed there is no interval and no answer; cells that were not trained are not tested."""
    single = {claim.name: claim for claim in encodings.claims(rows(LEVELS, seeds=1), CONFIG)}
    assert all(claim.holds() is None for claim in single.values())
    assert set(encodings.draw(rows(LEVELS, seeds=1), CONFIG)) == {"effects", "horizon", "elsewhere"}
    several = {claim.name: claim for claim in encodings.claims(rows(LEVELS), CONFIG)}
    assert several["order_matters"].value == pytest.approx(1.0) and several["order_matters"].holds()
    assert several["rope_replaces"].holds() and several["sincos_adds"].value is None
    fewer = rows(LEVELS)
    fewer["each"] = fewer["each"][fewer["each"]["part"] != "pfn.rope.unfed.2"]
    assert {c.name: c for c in encodings.claims(fewer, CONFIG)}["rope_replaces"].tested()


def test_an_encoding_that_does_harm_makes_its_claims_fail():
    """Half a nat below the raw epoch, RoPE neither replaces the epoch nor leaves the score as it is."""
    bad = rows({**LEVELS, ("rope", True): 1.5, ("rope", False): 1.5})
    found = {claim.name: claim.holds() for claim in encodings.claims(bad, CONFIG)}
    assert found["rope_replaces"] is False and found["rope_adds"] is False and found["rope_beyond"] is True


def test_parts_come_seed_by_seed_and_name_their_cell():
    """Every cell has its first seed before any has its second; a name says what it is and back."""
    names = encodings.parts(CONFIG)
    assert len(names) == len(set(names)) == 18 and all(name.endswith(".0") for name in names[:6])
    assert [Cell.of(name).part for name in names] == names
    assert len(encodings.parts(encodings.SCALES["paper"])) == 6 * len(CELLS)


def test_tasks_hide_what_they_ask_for_and_score_every_curve():
    """No future point is observed, epochs rise, indices count points; a table that is too short gives NaN."""
    curves = prior.test_set(6)
    names = []
    torch.manual_seed(0)
    net = Encoded(TINY["1x16"].model, torch.linspace(0, 1, 21), EncodingConfig("learned"), fed=False).eval()
    for task in _unpractised_epochs.tasks(curves.noisy, (10,), seed=0):
        names.append(task.name)
        assert len(task.noisy) == 6 and (task.seen.diff() > 0).all() and (task.asked.diff() > 0).all()
        assert (task.seen[:, -1:] < task.asked[:, :1]).all() and task.asked.max() <= task.noisy.shape[1]
        ll = _unpractised_epochs.likelihood(net, task)
        assert torch.isnan(ll).all() if task.name in ("beyond", "longer") else torch.isfinite(ll).all()
    assert set(names) == {"at10", *encodings._figures_and_tables.GRIDS}


def test_what_training_did_to_a_table_is_counted_over_seeds():
    """The answer is yes if neighbours became more similar in each of three seeds, and not if they were similar before."""

    def table(smooth, when, seed):
        rows = np.random.default_rng(seed).normal(size=(100, 8))
        rows = rows + smooth * np.roll(rows, 1, axis=0)
        frame = pd.DataFrame(rows).add_prefix("c")
        return frame.assign(when=when, seed=seed, x=range(1, 101))

    def verdict(before, after):
        learned = [
            table(s, when, seed) for seed in range(3) for s, when in ((before, "before"), (after, "after"))
        ]
        return claims._neighbours({"learned": pd.concat(learned)})

    grown = verdict(0.0, 1.0)
    assert grown.holds() and 0.3 < grown.value < 0.7
    assert verdict(1.0, 1.0).value == 0.0 and not verdict(1.0, 1.0).holds()
