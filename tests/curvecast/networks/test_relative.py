"""Guards curvecast/networks/relative.py: scores depend on the distance between two points."""

import pytest
import torch

from curvecast.networks.relative import ALiBi, RoPE, Shaw, T5Bias


def shaken(encoding):
    """Learned numbers start at zero: give them others, so that there is something to see."""
    for parameter in encoding.parameters():
        torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(0))
    return encoding


BIASES = {"alibi": ALiBi(2), "t5": shaken(T5Bias(2)), "shaw": shaken(Shaw(2))}


def test_rope_turns_each_pair_by_its_own_angle():
    """With two pairs and base 100: the first by x, the second by x / 10, as complex numbers turn; each epoch its own x."""
    heads, x = torch.randn(2, 3, 2, 4), torch.tensor([[2.0, 5.0], [0.0, 0.5]])
    angle = torch.stack([x, x / 10], -1)[:, None]  # (2, 1, 2, 2)
    expected = torch.view_as_complex(heads.unflatten(-1, (2, 2))) * torch.polar(torch.ones_like(angle), angle)
    turned = RoPE(4, base=100.0).rotate(heads, x)
    assert torch.allclose(turned, torch.view_as_real(expected).flatten(-2), atol=1e-6)


@pytest.mark.parametrize("name", BIASES)
def test_a_bias_knows_differences_alone(name):
    """A common shift of all epochs changes nothing; the shape is (B, H, Q, T)."""
    x = torch.tensor([[1.0, 2, 5, 30]])
    before, after = (BIASES[name].bias(x + s, x[:, :3] + s) for s in (0, 41))
    assert before.shape == (1, 2, 4, 3) and torch.equal(before, after)
    assert before[0, 0].unique().numel() > 3


def test_alibi_falls_by_its_slope_each_epoch():
    """m_h = 2^(-8h/H): with two heads 1/16 and 1/256 an epoch, to either side."""
    bias = ALiBi(2).bias(torch.tensor([[10.0]]), torch.tensor([[10.0, 9, 11, 2]]))[0, :, 0]
    expected = -torch.tensor([[1 / 16], [1 / 256]]) * torch.tensor([0.0, 1, 1, 8])
    assert torch.allclose(bias, expected)


def test_t5_tells_single_distances_apart_and_then_ranges():
    """0 to 7 have a bucket each, then 8 ranges in proportion, the last for all from 128 on; each side its own."""
    bucket = T5Bias(1).bucket
    back = bucket(-torch.arange(0.0, 1000))
    assert back[:8].tolist() == list(range(8)) and back.diff().ge(0).all() and back.max() == 15
    assert back[128:].eq(15).all() and len(back.unique()) == 16
    assert torch.equal(bucket(torch.arange(1.0, 1000)), back[1:] + 16)


def test_shaw_stops_telling_apart_at_its_reach():
    """Distances 16, 17 and 90 share a number, 15 has its own, and back is not ahead."""
    bias = BIASES["shaw"].bias(torch.tensor([[100.0]]), torch.tensor([[84.0, 83, 10, 85, 115]]))[0, 0, 0]
    assert bias[0] == bias[1] == bias[2] and bias[3] != bias[0] and bias[4] != bias[3]
