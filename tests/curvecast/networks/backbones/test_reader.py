"""Guards reader.py and what backbones are made of: what is read and handed on, sizes, and settings that cannot be."""

from dataclasses import replace

import pytest
import torch

from curvecast.ground.config import canonical
from curvecast.ground.errors import UserError
from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.backbone import handed, last
from curvecast.networks.backbones.causal_cnn import pooled
from curvecast.networks.backbones.deltanet import DeltaNetConfig
from curvecast.networks.backbones.encoder_decoder import EncoderDecoderConfig
from curvecast.networks.backbones.h3 import H3Config
from curvecast.networks.backbones.mamba import Mamba2Config, MambaConfig
from curvecast.networks.backbones.reader import ReaderConfig, observed_first
from curvecast.networks.backbones.recurrent import ElmanConfig
from curvecast.networks.backbones.s4 import S4Config
from curvecast.networks.backbones.stack import FeedForward
from curvecast.networks.backbones.transformer import TransformerConfig
from tests.curvecast.refusals import refuses


def test_observed_points_move_together_in_their_order():
    x, y = torch.tensor([[1.0, 2, 3, 4]]), torch.tensor([[0.1, 0.2, 0.3, 0.4]])
    first = observed_first(x, y, torch.tensor([[False, True, False, True]]))
    assert first[0].tolist() == [[2, 4]] and torch.equal(first[1], y[:, [1, 3]]) and first[2].all()
    with pytest.raises(UserError, match="without a single observed point"):
        observed_first(x.expand(2, -1), y.expand(2, -1), torch.tensor([[True] * 4, [False] * 4]))


def test_a_summary_is_of_what_was_seen():
    h, seen = torch.tensor([[[1.0], [3.0], [99.0]]]), torch.tensor([[True, True, False]])
    assert last(h, None).item() == 99 and last(h, seen).item() == 3
    assert pooled(h, seen).flatten().tolist() == pooled(h[:, :2], None).flatten().tolist() == [2, 3]
    assert handed("all", 8, 70) == 560 and handed("last", 8, 70) == 8


@torch.no_grad()
def test_without_attention_all_goes_through_the_last_state():
    """The decoder's states are the same for two beginnings that end in the same state; with attention they are not."""
    u, x, d = torch.randn(2, 9, 6), torch.arange(1.0, 10).expand(2, 9), 6
    other = torch.cat([torch.randn(2, 8, d), u[:, 8:]], 1)
    for attends in (False, True):
        net = EncoderDecoderConfig(attends=attends).make(d)
        cell = net.encoder[0]  # made to forget all but the newest point
        for part in (cell.new.weight[d : 2 * d], cell.old.weight[d:], cell.old.bias[2 * d :]):
            part.zero_()
        cell.new.bias[d : 2 * d] = -40.0
        same = torch.allclose(net(u, x, None).states, net(other, x, None).states, atol=1e-5)
        assert same is not attends


def test_a_reader_is_told_the_spread_of_a_curve():
    net = ReaderConfig(ElmanConfig(), width=16, features="spread").network(torch.linspace(-1, 2, 1001)).eval()
    x, query = torch.arange(1.0, 11).expand(2, -1), torch.tensor([[20.0], [20.0]])
    y = 0.5 + torch.tensor([[0.4], [0.04]]) * torch.linspace(0, 1, 10) ** 0.5
    stand = net.read(x, y, query)[1]
    assert net.head.scaled == 5 and torch.allclose(stand[0, 1] / stand[1, 1], torch.tensor(10.0), rtol=0.01)
    assert torch.isfinite(net.log_density(x, y, query, query / 40)).all()
    assert "features" not in canonical(ReaderConfig(ElmanConfig()))


TRANSFORMER = TransformerConfig()


@pytest.mark.parametrize(("make", "says"), [
    (lambda: Attention(8, 4, 3), "must be a multiple of"), (lambda: Attention(8, 0), "must be a multiple of"),
    (lambda: FeedForward("relu", 8), "take one of gelu, geglu, swiglu"),
    (lambda: replace(TRANSFORMER, norm="batch").make(8), "take layer or rms"),
    (lambda: replace(TRANSFORMER, where="post", parallel=True).make(8), "take where='pre'"),
    (lambda: replace(TRANSFORMER, hands="last").make(8), "no summary"),
    (lambda: replace(TRANSFORMER, position="rope", heads=8).make(8), "must be even"),
    (lambda: DeltaNetConfig(heads=3).make(8), "do not divide"),
    (lambda: H3Config(shift=0).make(8), "at least one point"), (lambda: MambaConfig(states=0).make(8), "at least 1"),
    (lambda: Mamba2Config(states=0).make(8), "at least 1"),
    (lambda: S4Config(begin="fourier").make(8), "'lin' or 'legs'"),
    (lambda: S4Config(states=0).make(8), "at least one"),
    (lambda: ReaderConfig(ElmanConfig(), width=15), "must be a multiple of heads"),
    (lambda: ReaderConfig(ElmanConfig(), features="paper"), "take one of epochs, spread"),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(make, says):
    refuses(says, make)
