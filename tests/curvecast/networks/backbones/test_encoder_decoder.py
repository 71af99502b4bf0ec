"""Guards curvecast/networks/backbones/encoder_decoder.py: all goes through one state, unless attention looks back."""

import torch

from curvecast.networks.backbones.encoder_decoder import EncoderDecoderConfig

D = 6


def given(T: int = 9) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    return torch.randn(2, T, D), torch.arange(1.0, T + 1).expand(2, T)


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
