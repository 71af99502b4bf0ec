"""Guards curvecast/networks/backbones/transformer.py: points without a position have no order, and what cannot be."""

from dataclasses import replace

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.transformer import TransformerConfig

D = 8


def tokens_and_epochs(T: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(2, T, D), torch.arange(1.0, T + 1).expand(2, T)


def test_without_a_position_the_order_of_points_does_not_matter():
    u, x = tokens_and_epochs()
    net, order = TransformerConfig().make(D), torch.tensor([3, 1, 5, 0, 4, 2])
    there, back = net(u, x, None).states, net(u[:, order], x[:, order], None).states
    assert torch.allclose(there[:, order], back, atol=1e-5)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"norm": "batch"}, "take layer or rms"),
        ({"where": "post", "parallel": True}, "take where='pre'"),
        ({"hands": "last"}, "no summary"),
        ({"heads": 3}, "must be a multiple|take a multiple"),
        ({"position": "rope", "heads": 8}, "must be even"),
    ],
)
def test_what_cannot_be_is_told(wrong, words):
    with pytest.raises(UserError, match=words):
        replace(TransformerConfig(), **wrong).make(D)
