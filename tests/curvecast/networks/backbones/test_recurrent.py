"""Guards curvecast/networks/backbones/recurrent.py: reading from both ends, and what is handed on."""

import pytest
import torch
from torch import nn

from curvecast.networks.backbones.elman import Elman
from curvecast.networks.backbones.recurrent import Recurrent, reversed_in_time, scan, scan_by_doubling, unroll


def test_both_ways_is_torchs_own():
    """A backward pass over curves of unequal lengths is torch's over a packed sequence."""
    torch.manual_seed(0)
    ours, theirs = Recurrent(Elman, 6, 1, True, "all"), nn.RNN(6, 6, 1, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for cell, end in ((ours.forwards[0], ""), (ours.backwards[0], "_reverse")):
            for name, value in (
                ("weight_ih", cell.new.weight), ("bias_ih", cell.new.bias), ("weight_hh", cell.old.weight),
            ):  # fmt: skip
                getattr(theirs, f"{name}_l0{end}").copy_(value)
            getattr(theirs, f"bias_hh_l0{end}").zero_()
    u, lengths = torch.randn(3, 9, 6), torch.tensor([9, 4, 1])
    seen = torch.arange(9) < lengths[:, None]
    packed = nn.utils.rnn.pack_padded_sequence(u, lengths, batch_first=True)
    wanted, _ = nn.utils.rnn.pad_packed_sequence(theirs(packed)[0], batch_first=True)
    there = unroll(ours.forwards[0], u)
    back = reversed_in_time(unroll(ours.backwards[0], reversed_in_time(u, seen)), seen)
    outputs = torch.cat([there, back], -1)
    assert torch.allclose(outputs[seen], wanted[seen], atol=1e-6)


def test_two_directions_hand_on_both_ends():
    net = Recurrent(Elman, 6, 2, True, "last")
    states, known = net(torch.randn(2, 5, 6), torch.ones(2, 5), None)
    assert states.shape == (2, 2, 6) and known is None


@pytest.mark.parametrize("T", [1, 8, 37])
def test_both_scans_are_the_recurrence(T):
    torch.manual_seed(0)
    a, b = torch.rand(2, T, 3, dtype=torch.double), torch.randn(2, T, 3, dtype=torch.double)
    h, states = torch.zeros(2, 3, dtype=torch.double), []
    for t in range(T):
        h = a[:, t] * h + b[:, t]
        states.append(h)
    for fast in (scan, scan_by_doubling):
        assert torch.allclose(fast(a, b), torch.stack(states, 1), atol=1e-11)
