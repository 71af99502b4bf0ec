"""Guards curvecast/curves/laws/decline.py: a turn comes late and a collapse goes all the way."""

import pytest
import torch

from curvecast.curves.laws import decline
from tests.curvecast.curves.laws.some_runs import N, X, dice


def test_turns_come_in_their_share_and_go_both_ways():
    """Most turns go down; none starts at the first epoch, and each is monotone."""
    added = decline.turned(torch.zeros(N, 100, dtype=torch.float64), X, dice())
    there = added[:, -1] != 0
    assert (added[:, 0] == 0).all()
    assert abs(there.double().mean() - decline.TURNS) < 0.03
    assert abs((added[there, -1] > 0).double().mean() - decline.UPWARDS) < 0.06
    assert (added.diff(dim=1) * added[:, -1:].sign() >= 0).all()


def test_a_collapsed_run_is_at_its_low_right_after(monkeypatch):
    """Just after the collapse a run is at the low, whether it will recover or not; before, it is unchanged."""
    monkeypatch.setattr(decline, "COLLAPSES", 1.0)
    fine = torch.arange(1.0, 3, 0.0005, dtype=torch.float64)[None]
    y, low = torch.full((N, fine.shape[1]), 0.9, dtype=torch.float64), torch.tensor(0.1, dtype=torch.float64)
    collapsed = decline.collapsed(y, low, fine, dice())
    fell = (collapsed < 0.5).any(1)
    first = (collapsed[fell] < 0.5).double().argmax(1, keepdim=True)
    assert fell.sum() > 500
    assert (collapsed[fell].gather(1, first) - 0.1).abs().max() < 1e-3
    assert (collapsed[fell].gather(1, first - 1) == 0.9).all() and (collapsed[~fell] == 0.9).all()


def test_about_half_of_the_collapses_recover(monkeypatch):
    """Recovering runs never exceed their former value; the others stay at the low."""
    monkeypatch.setattr(decline, "COLLAPSES", 1.0)
    y = torch.full((N, 100), 0.9, dtype=torch.float64)
    collapsed = decline.collapsed(y, torch.tensor(0.1, dtype=torch.float64), X, dice())
    fell = collapsed[:, 60] < 0.9
    stays = (collapsed[fell, -1] == 0.1).double().mean()
    assert abs(1 - stays - decline.RECOVERS) < 0.05
    assert collapsed.max() <= 0.9 and collapsed.min() >= 0.1


@pytest.mark.parametrize("chance", [0.0, decline.COLLAPSES])
def test_collapses_are_as_rare_as_is_stated(chance, monkeypatch):
    """All other runs are unchanged, bit by bit."""
    monkeypatch.setattr(decline, "COLLAPSES", chance)
    y = torch.full((N, 100), 0.9, dtype=torch.float64)
    changed = (decline.collapsed(y, torch.tensor(0.1, dtype=torch.float64), X, dice()) != y).any(1)
    assert chance - 0.015 < changed.double().mean() <= chance + 0.01
