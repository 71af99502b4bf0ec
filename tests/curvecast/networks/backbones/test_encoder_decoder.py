"""Guards curvecast/networks/backbones/encoder_decoder.py: the one state that is handed on, and attention that looks back."""

import torch

from curvecast.networks.backbones.encoder_decoder import (
    PLACES,
    REACH,
    EncoderDecoderConfig,
    LookBack,
    epochs_ahead,
)

D = 6


def given(T: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(2, T, D), torch.arange(1.0, T + 1).expand(2, T)


def test_places_ahead_begin_beyond_the_last_epoch_seen_and_reach_far():
    x = torch.tensor([[1.0, 2, 5, 1], [3, 7, 11, 20]])
    seen = torch.tensor([[True, True, True, False], [True] * 4])
    ahead = epochs_ahead(x, seen)
    assert ahead.shape == (2, PLACES)
    assert (ahead[:, 0] > torch.tensor([5.0, 20.0])).all()
    assert torch.allclose(ahead[:, -1], REACH * torch.tensor([5.0, 20.0]))
    assert torch.allclose(
        ahead.log().diff(dim=1), ahead.log().diff(dim=1)[:, :1].expand(2, PLACES - 1), atol=1e-5
    )


def test_weights_sum_to_one_and_padding_has_none():
    u, _ = given()
    look = LookBack(D)
    seen = torch.arange(9) < torch.tensor([[9], [4]])
    weights = look.weights(torch.randn(2, D), look.says(u), seen)
    assert torch.allclose(weights.sum(1), torch.ones(2))
    assert (weights[1, 4:] == 0).all() and (weights[seen] > 0).all()


def test_without_attention_all_goes_through_the_last_state():
    """The decoder's states are the same for two beginnings that end in the same state; with attention they are not."""
    u, x = given()
    plain, looking = (EncoderDecoderConfig(attends=attends).make(D) for attends in (False, True))
    for net, same in ((plain, True), (looking, False)):
        with torch.no_grad():  # a cell that forgets all but the newest point
            net.encoder[0].new.bias[D : 2 * D] = -40.0
            net.encoder[0].new.weight[D : 2 * D] = 0.0
            net.encoder[0].old.weight[D : 2 * D] = 0.0
            net.encoder[0].old.weight[2 * D :] = 0.0
            net.encoder[0].old.bias[2 * D :] = 0.0
        other = torch.cat([torch.randn(2, 8, D), u[:, 8:]], 1)
        a, b = net(u, x, None).states, net(other, x, None).states
        assert torch.allclose(a, b, atol=1e-5) is same
