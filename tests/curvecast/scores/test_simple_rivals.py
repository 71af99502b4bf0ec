"""Guards curvecast/scores/simple_rivals.py: where they stand, and how wide they are."""

import pytest
import torch

from curvecast.scores import simple_rivals
from curvecast.scores.baselines import LONE_POINT_SD, SD_FLOOR


def test_the_best_so_far_stays_the_forecast():
    """It is the highest value seen, at every epoch ahead."""
    found = simple_rivals.best_so_far(torch.tensor([[0.2, 0.9, 0.5]]), 4)
    assert found.mean[0].tolist() == pytest.approx([0.9] * 4)


def test_the_spread_is_what_the_run_moved_within_as_many_epochs():
    """A line of slope .1 moves by .1 within one epoch, .3 within three, and then as a random walk."""
    y = torch.arange(1, 7)[None] / 10
    found = simple_rivals.own_steps(y, 12)
    assert found.sd[0, :3].tolist() == pytest.approx([0.1, 0.2, 0.3])
    assert float(found.sd[0, 11]) == pytest.approx(0.3 * 2)  # four times as far: twice as wide
    assert found.mean.eq(found.mean[0, 0]).all() and float(found.mean[0, 0]) == pytest.approx(0.6)


def test_one_point_has_no_steps_and_a_flat_run_none_above_the_floor():
    """Then a stated spread takes their place."""
    assert simple_rivals.own_steps(torch.tensor([[0.4]]), 2).sd.tolist() == [[LONE_POINT_SD] * 2]
    assert simple_rivals.own_steps(torch.full((1, 8), 0.4), 2).sd.tolist() == [[SD_FLOOR] * 2]
