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


def score(encoding, q, k, m, n):
    """What a query q at epoch m gives to a key k at epoch n."""
    turned_q = encoding.rotate(q[None, None, None], torch.tensor([[float(m)]]))
    turned_k = encoding.rotate(k[None, None, None], torch.tensor([[float(n)]]))
    return (turned_q * turned_k).sum()


def test_a_turned_score_depends_on_the_difference_alone():
    """<R_m q, R_n k> is the same for (3, 10), (40, 47) and fractions; another difference gives another score."""
    encoding, (q, k) = RoPE(16), torch.randn(2, 16, generator=torch.Generator().manual_seed(0))
    near = score(encoding, q, k, 3, 10)
    for m, n in ((40, 47), (93, 100), (0.5, 7.5)):
        assert torch.allclose(score(encoding, q, k, m, n), near, atol=1e-4)
    assert (score(encoding, q, k, 3, 11) - near).abs() > 1e-2


def test_turning_keeps_lengths_and_leaves_epoch_zero_alone():
    """It is a rotation: norms stay; at epoch 0 nothing happens."""
    heads = torch.randn(2, 3, 5, 8)
    turned = RoPE(8).rotate(heads, torch.arange(5.0).expand(2, -1))
    assert torch.allclose(turned.norm(dim=-1), heads.norm(dim=-1), atol=1e-5)
    assert torch.equal(turned[:, :, 0], heads[:, :, 0]) and not torch.allclose(
        turned[:, :, 1], heads[:, :, 1]
    )


def test_rope_turns_each_pair_by_its_own_angle():
    """With two pairs and base 100: the first by x, the second by x / 10."""
    turned = RoPE(4, base=100.0).rotate(torch.tensor([1.0, 0, 1, 0])[None, None, None], torch.tensor([[2.0]]))
    x = torch.tensor([2.0, 0.2])
    assert torch.allclose(turned[0, 0, 0], torch.stack([x.cos(), x.sin()], 1).flatten())


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
