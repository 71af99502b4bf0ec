"""Guards curvecast/networks/backbones/reader.py: the inputs of a backbone."""

import pytest
import torch

from curvecast.ground.config import canonical
from curvecast.ground.errors import UserError
from curvecast.networks.backbones.elman import ElmanConfig
from curvecast.networks.backbones.reader import ReaderConfig, observed_first


def test_observed_points_move_together_in_their_order():
    x, y = torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    sorted_points = observed_first(x, y, torch.tensor([[False, True, False, True]]))
    assert sorted_points[0].tolist() == [[2, 4]] and torch.allclose(
        sorted_points[1], torch.tensor([[0.2, 0.4]])
    )
    assert sorted_points[2].tolist() == [[True, True]]


def test_a_curve_of_which_nothing_was_seen_is_told():
    x, y = torch.ones(2, 3), torch.ones(2, 3)
    with pytest.raises(UserError, match="without a single observed point"):
        observed_first(x, y, torch.tensor([[True, False, False], [False] * 3]))


def test_an_odd_width_with_two_heads_is_told():
    with pytest.raises(UserError, match="must be a multiple of heads"):
        ReaderConfig(ElmanConfig(), width=15)


def test_a_reader_is_told_the_spread_of_a_curve():
    torch.manual_seed(0)
    net = ReaderConfig(ElmanConfig(), width=16, features="spread").network(torch.linspace(-1, 2, 1001)).eval()
    assert net.head.scaled == 5
    x, query = torch.arange(1.0, 11).expand(2, -1), torch.tensor([[20.0], [20.0]])
    shape = torch.linspace(0, 1, 10) ** 0.5
    y = torch.stack([0.5 + 0.4 * shape, 0.5 + 0.04 * shape])
    stand = net.read(x, y, query)[1]
    assert stand.shape == (2, 2) and torch.allclose(stand[0, 1] / stand[1, 1], torch.tensor(10.0), rtol=0.01)
    assert torch.isfinite(net.log_density(x, y, query, query / 40)).all()


def test_features_of_another_kind_are_told():
    with pytest.raises(UserError, match="take one of epochs, spread"):
        ReaderConfig(ElmanConfig(), features="paper")


def test_a_reader_of_epochs_has_the_key_it_had():
    """The field came later: what was trained before keeps its name."""
    assert "features" not in canonical(ReaderConfig(ElmanConfig()))
