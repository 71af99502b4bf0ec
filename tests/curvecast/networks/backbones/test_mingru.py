"""Guards curvecast/networks/backbones/mingru.py: the scan is the formula, and a GRU that cannot read its state is it."""

import torch

from curvecast.networks.backbones.gru import GRU
from curvecast.networks.backbones.mingru import MinGRU, MinGRUConfig
from curvecast.networks.backbones.recurrent import unroll


def test_it_is_a_gru_whose_gates_do_not_read_the_state():
    """With constant candidates, where tanh and g can be the same number."""
    torch.manual_seed(0)
    ours, theirs = MinGRU(4).double(), GRU(4).double()
    with torch.no_grad():
        for weight in theirs.old.parameters():
            weight.zero_()
        write, candidate = ours.new.weight.chunk(2)
        theirs.new.weight[4:8], theirs.new.bias[4:8] = (
            -write,
            -ours.new.bias[:4],
        )  # torch's gate keeps, ours writes
        candidate.zero_(), ours.new.bias[4:].fill_(0.2)  # g = 0.7
        theirs.new.weight[8:], theirs.new.bias[8:] = 0, torch.atanh(torch.tensor(0.7))
    u = torch.randn(2, 9, 4, dtype=torch.double)
    assert torch.allclose(ours(u), unroll(theirs, u), atol=1e-7)


def test_an_open_gate_forgets_all_and_a_closed_one_nothing():
    layer = MinGRU(2)
    with torch.no_grad():
        layer.new.weight.zero_()
        layer.new.bias.copy_(torch.tensor([50.0, -50.0, 1.0, 1.0]))
    h = layer(torch.zeros(1, 5, 2))[0]
    assert torch.allclose(h[:, 0], torch.full((5,), 1.5)) and (h[:, 1].abs() < 1e-12).all()


def test_its_state_is_a_vector_a_layer():
    assert MinGRUConfig(layers=3).state_size(width=8, length=1_000) == 3 * 8 + 8
