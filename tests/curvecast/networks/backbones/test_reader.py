"""Guards reader.py, families.py and model.py: what every network keeps to, whatever is inside; settings that cannot be."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from curvecast.ground.config import canonical
from curvecast.networks.backbones.encoder_decoder import EncoderDecoderConfig
from curvecast.networks.backbones.families import FAMILIES
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.networks.backbones.recurrent import ElmanConfig
from curvecast.networks.backbones.s4 import S4Config
from curvecast.networks.backbones.stack import FeedForward, handed
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.model import ModelConfig
from tests.curvecast.refusals import refuses


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
    (lambda: FeedForward("relu", 8), "take one of gelu, geglu, swiglu"),
    (lambda: replace(TRANSFORMER, norm="batch").make(8), "take layer or rms"),
    (lambda: replace(TRANSFORMER, where="post", parallel=True).make(8), "take where='pre'"),
    (lambda: replace(TRANSFORMER, hands="last").make(8), "no summary"),
    (lambda: S4Config(begin="fourier").make(8), "'lin' or 'legs'"),
    (lambda: S4Config(states=0).make(8), "at least one"),
    (lambda: ReaderConfig(ElmanConfig(), features="paper"), "take one of epochs, spread"),
])  # fmt: skip
def test_settings_that_cannot_be_are_refused(make, says):
    refuses(says, make)


BORDERS = torch.linspace(0, 1, 21)
PFNS = {
    "ours": ModelConfig(24, 2, 4, components=3), "spread": ModelConfig(24, 2, 4, components=3, features="spread"),
    "paper": ModelConfig(24, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", [*FAMILIES, *PFNS])
CAUSAL = [name for name, config in FAMILIES.items() if config.causal]


def awake(net: nn.Module) -> nn.Module:
    for module in net.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
    return net


def reader(name: str) -> nn.Module:
    """The last layer is not the identity that it starts as, so the context affects the forecast."""
    torch.manual_seed(0)
    config = PFNS.get(name) or ReaderConfig(FAMILIES[name], width=24)
    return awake(config.network(BORDERS).eval())


def curves(B: int = 3, T: int = 9) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(1)
    x = torch.arange(1.0, T + 1).expand(B, T)
    return x, torch.rand(B, T, generator=generator), torch.tensor([12.0, 30, 99]).expand(B, 3)


@EVERY
def test_neither_curves_of_a_batch_nor_queries_know_one_another(name):
    x, y, x_query = curves()
    x_query = torch.cat([x_query, x[:, 4:5]], 1)
    net, other = reader(name), y.clone()
    other[1] = 0.3
    together = net(x, y, x_query)
    assert torch.equal(together[0], net(x, other, x_query)[0])
    assert torch.allclose(net(x, y, x_query.flip(1)).flip(1), together, atol=1e-5)
    assert torch.allclose(net(x, y, x_query[:, 1:2])[:, 0], together[:, 1], atol=1e-5)


@EVERY
def test_what_is_masked_never_enters(name):
    x, y, x_query = (part.double() for part in curves())
    net = reader(name).double()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, [0, 4, 5]] = False
    mask[1, 1:] = False
    y = torch.where(mask, y, torch.nan)
    logits = net(x, y, x_query, mask)
    for i in range(3):
        few = mask[i]
        alone = net(x[i : i + 1, few], y[i : i + 1, few], x_query[i : i + 1])
        assert torch.allclose(logits[i], alone[0], atol=1e-9)


@EVERY
def test_gradients_are_finite_and_reach_every_weight_and_both_ends_of_the_beginning(name):
    x, y, x_query = curves()
    mask = torch.ones(3, 9, dtype=torch.bool)
    mask[0, 3:] = False
    net, later = reader(name).train(), torch.full((3, 3), 0.4)
    seen = torch.where(mask, y, torch.nan).requires_grad_()
    net.log_density(x, seen, x_query, later, mask).sum().backward()
    for where, weight in net.named_parameters():
        assert weight.grad is not None, f"{where} is never used"
        assert torch.isfinite(weight.grad).all(), where
    assert (seen.grad[1:, [0, -1]].abs() > 0).all()


@EVERY
def test_the_order_of_points_matters_unless_promised_otherwise(name):
    x, y, x_query = (part.double() for part in curves())
    net, order = reader(name).double(), torch.tensor([4, 0, 8, 2, 6, 1, 3, 7, 5])
    same = torch.allclose(net(x, y, x_query), net(x[:, order], y[:, order], x_query), atol=1e-9)
    assert same == (name in ("transformer, encoder", "transformer, both", *PFNS))


@pytest.mark.parametrize("name", CAUSAL)
def test_read_step_by_step_it_is_the_whole(name):
    torch.manual_seed(0)
    backbone = awake(replace(FAMILIES[name], hands="all").make(24)).double()
    u, x = torch.randn(2, 9, 24, dtype=torch.double), torch.arange(1.0, 10).expand(2, 9).double()
    whole = backbone(u, x, None).states
    steps = [backbone(u[:, :t], x[:, :t], None).states[:, -1] for t in range(1, 10)]
    assert torch.allclose(torch.stack(steps, 1), whole, atol=1e-9)


@pytest.mark.parametrize("name", CAUSAL)
def test_the_past_reaches_the_future_through_the_state_alone(name):
    """The derivatives of later states by earlier points have no higher rank than the state has numbers."""
    d, past, config = 4, 24, replace(FAMILIES[name], hands="all")
    config = replace(config, **{field: 2 for field in ("states", "heads") if getattr(config, field, 0) > 2})
    torch.manual_seed(0)
    backbone = awake(config.make(d)).double()
    u, x = torch.randn(1, past + 40, d, dtype=torch.double), torch.arange(1.0, past + 41)[None].double()

    def later(earlier: Tensor) -> Tensor:
        return backbone(torch.cat([earlier, u[:, past:]], 1), x, None).states[0, past:]

    slopes = torch.autograd.functional.jacobian(later, u[:, :past], vectorize=True).reshape(40 * d, past * d)
    rank = torch.linalg.matrix_rank(slopes, rtol=1e-12)
    # what the head reads is not needed to read on
    state = config.state_size(d, past) - handed("all", d, past)
    assert rank <= state
    if name.startswith(("Elman", "LSTM", "GRU", "minGRU", "linear")):
        assert rank == state


@pytest.mark.parametrize("name", FAMILIES)
def test_any_width_is_read_that_heads_divide(name):
    config, x = FAMILIES[name], torch.arange(1.0, 6).expand(2, 5)
    if getattr(config, "heads", 0) <= 1:
        assert torch.isfinite(config.make(15)(torch.randn(2, 5, 15), x, None).states).all()
    sizes = [config.state_size(24, length) for length in (1, 10, 100, 1_000)]
    assert sizes[0] > 0 and sizes == sorted(sizes)


def test_blocks_of_large_models_are_as_published():
    """PaLM and LLaMA have no biases, in norms neither; PaLM has one key and value for all four heads."""
    for name in ("PaLM block", "LLaMA block"):
        assert not [at for at, _ in FAMILIES[name].make(16).named_parameters() if at.endswith("bias")]
    assert FAMILIES["PaLM block"].make(16).blocks[0].attend.kv.weight.shape == (2 * 4, 16)


def test_no_two_families_share_a_label():
    labels = [ReaderConfig(config, width=24).label for config in FAMILIES.values()]
    assert len(set(labels)) == len(labels)
