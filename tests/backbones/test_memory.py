"""Guards reproduce/backbones/memory.py: what fades by a known factor is found to fade by it."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
import torch

from reproduce.backbones import _rows, memory
from reproduce.backbones.memory import SCALES, SEEN


def fades_by(factor: float) -> SimpleNamespace:
    """A network whose last state is a fading sum of its tokens."""

    class Inputs:
        def stand(self, x, y, seen):
            return y[:, -1:]

        def __call__(self, x, y, x_query, level):
            return torch.ones(len(y), x.shape[1] + 1, 3)

    def backbone(tokens, x, seen):
        weights = factor ** torch.arange(tokens.shape[1]).flip(0)
        return SimpleNamespace(states=(weights[:, None] * tokens).sum(1, keepdim=True))

    return SimpleNamespace(inputs=Inputs(), layers=[backbone])


def table(factor: float, when: str, seed: int, name: str = "Elman") -> pd.DataFrame:
    sizes = memory.sizes(fades_by(factor), torch.rand(5, SEEN)).flip(0)
    return pd.DataFrame({"lag": range(SEEN), "size": sizes}).assign(when=when, backbone=name, seed=seed)


@pytest.mark.parametrize("factor", [0.6, 0.97, 1.0])
def test_the_factor_of_fading_is_found(factor):
    found = memory.fading(table(factor, "first", 0), SCALES["paper"], "Elman", "first")
    assert found.tolist() == pytest.approx([factor], rel=1e-4)


def test_a_claim_compares_seed_by_seed():
    rows = pd.concat(
        [table(0.6, "first", seed) for seed in (0, 1, 2)]
        + [table(0.7 + 0.01 * seed, "first", seed, "LSTM") for seed in (0, 1, 2)]
    )
    stated = {one.name: one for one in memory.claims(rows, SCALES["paper"])}
    assert stated["elman_fades"].value == pytest.approx(0.6, abs=1e-3) and stated["elman_fades"].holds()
    assert stated["lstm_fades_later"].value == pytest.approx(0.11, abs=1e-3)
    assert stated["lstm_fades_later"].holds()
    assert stated["lstm_learns_to_remember"].value is None


def test_the_lstm_beside_the_others_begins_half_open_and_is_measured_like_them():
    half_open, usual = (
        _rows.reader_of(one, 4_000).network(torch.linspace(0, 1, 9)).layers[0].forwards[0].new.bias
        for one in (memory.HalfOpenConfig(layers=2), _rows.FAMILIES["LSTM"])
    )
    width = len(usual) // 4
    assert half_open[width : 2 * width].eq(0).all() and usual[width : 2 * width].eq(1).all()
    small = replace(SCALES["smoke"], beside=(memory.HALF_OPEN,))
    sweep = pd.DataFrame({"backbone": ["LSTM"], "setting": ["Muon"], "ll": [1.0]})
    found = memory.measure(small, memory.parts(small)[-1], {memory.SWEEP: sweep})
    assert set(found["backbone"]) == {memory.HALF_OPEN} and set(found["when"]) == {"first", "trained"}
