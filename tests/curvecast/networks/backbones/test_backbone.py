"""Guards curvecast/networks/backbones/backbone.py: what the head reads."""

import torch

from curvecast.networks.backbones.backbone import handed, last


def test_the_state_after_the_last_point_is_that_of_each_curve():
    states = torch.arange(6.0).view(2, 3, 1)
    assert last(states, None)[..., 0].tolist() == [[2], [5]]
    assert last(states, torch.tensor([[True, False, False], [True, True, False]]))[..., 0].tolist() == [
        [0],
        [4],
    ]


def test_the_head_reads_one_state_or_one_for_each_point():
    assert handed("all", 8, 70) == 560 and handed("last", 8, 70) == 8
