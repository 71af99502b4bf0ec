"""Guards model.py, layer.py, inputs.py, port.py and dependence.py: who attends to whom, and torch's own layers."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from curvecast.curves.prior import PriorConfig, sample
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.dependence import dependence
from curvecast.networks.inputs import LEAST_SPREAD, SpreadInputs, last_level
from curvecast.networks.layer import Dropout, mask
from curvecast.networks.model import PFN, ModelConfig
from curvecast.networks.port import Port, port
from tests.curvecast.refusals import refuses

BORDERS = make_borders(BarsConfig(buckets=50, curves=500), PriorConfig())
CONFIGS = {
    "ours": ModelConfig(32, 2, 4, components=3), "spread": ModelConfig(32, 2, 4, components=3, features="spread"),
    "paper": ModelConfig(32, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
}  # fmt: skip


def make(config, encoding=None):
    """A network whose zero-initialised layers are filled, so that attention has an effect; in eval mode."""
    torch.manual_seed(1)
    net = PFN(config, BORDERS, encoding)
    for name, parameter in net.named_parameters():
        if "norm" not in name:
            parameter.data += 0.2 * torch.randn_like(parameter)
    return net.eval()


def beginnings(seen):
    noisy = sample(PriorConfig(length=30), 5, torch.Generator().manual_seed(2)).noisy
    x = torch.arange(1.0, 31).expand(5, -1)
    return x[:, :seen], noisy[:, :seen], x[:, seen:]


@pytest.fixture(params=CONFIGS)
def net(request):
    return make(CONFIGS[request.param])


@pytest.fixture
def batch():
    return beginnings(12)


def masses(net, *inputs):
    """Bucket masses: logits of buckets that hold nothing are noise."""
    return net(*inputs).softmax(-1)


@torch.no_grad()
def test_points_are_a_set_and_neither_queries_nor_curves_see_each_other(net, batch):
    x, y, queries = batch
    before, order = masses(net, *batch), torch.randperm(12, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(before, masses(net, x[:, order], y[:, order], queries), atol=1e-4)
    assert torch.allclose(before[:, 4:5], masses(net, x, y, queries[:, 4:5]), atol=1e-4)
    other = y.clone()
    other[2] += 0.3
    moved = (masses(net, x, other, queries) - before).abs().amax((1, 2))
    assert moved[2] > 1e-3 and moved[[0, 1, 3, 4]].max() < 1e-6


@torch.no_grad()
def test_every_context_point_and_the_epoch_matter(net, batch):
    x, y, queries = batch
    before = net(x, y, queries)
    for place in (0, 5, 11):
        changed = y.clone()
        changed[:, place] += 0.2
        assert (net(x, changed, queries) - before).abs().max() > 1e-3
    assert (net(x * 2, y, queries) - before).abs().max() > 1e-3
    assert (net(x, y, queries + 30) - before).abs().max() > 1e-3


def same_where_hidden_points_are_not_there(net, x, y, queries):
    """Different cutoffs in a batch, and holes: hidden points may even be NaN; each curve depends on its own context only."""
    seen = torch.arange(12) < torch.tensor([3, 12, 7, 1, 10])[:, None]
    seen[1:3, [1, 3, 4]] = False
    hidden = masses(net, x, torch.where(seen, y, torch.nan), queries, seen)
    rows = zip(x, y, queries, seen, strict=True)
    alone = [masses(net, x[None, few], y[None, few], query[None]) for x, y, query, few in rows]
    return torch.allclose(hidden, torch.cat(alone), atol=1e-4)


@torch.no_grad()
def test_a_mask_is_as_if_the_points_were_not_there(net, batch):
    assert same_where_hidden_points_are_not_there(net, *batch)


class Shift:
    """An encoding with all three methods, whose every part depends on the epoch."""

    def embed(self, x):
        return x[..., None].expand(*x.shape, 32) / 50

    def rotate(self, heads, x):
        return heads * torch.cos(x)[:, None, :, None]

    def bias(self, x_query, x_context):
        return -(x_query[:, None, :, None] - x_context[:, None, None, :]).abs() / 10


@pytest.mark.parametrize("config", ["ours", "paper"])
@pytest.mark.parametrize("keep", ["embed", "rotate", "bias"])
@torch.no_grad()
def test_an_encoding_plugs_in_by_any_of_its_methods(config, keep, batch):
    encoding = type("One", (), {keep: getattr(Shift, keep)})()
    plain, with_it = make(CONFIGS[config]), make(CONFIGS[config], encoding)
    assert (plain(*batch) - with_it(*batch)).abs().max() > 1e-4
    assert same_where_hidden_points_are_not_there(with_it, *batch)


def test_the_paper_s_network_has_the_paper_s_size_and_starts_as_copies_that_do_nothing():
    borders = torch.linspace(0, 1, 1001)
    nets = [PFN(ModelConfig.paper(d, n), borders) for d, n in ((512, 12), (256, 3))]
    assert [sum(p.numel() for p in net.parameters()) for net in nets] == [26_785_768, 2_226_920]
    first, *others = nets[1].layers
    for other in others:
        assert all(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters(), strict=True))
    assert not first.out.weight.any() and not first.narrow.weight.any() and not first.out.bias.any()


@pytest.mark.parametrize("bad", [
    {"norm": "both"}, {"head": "none"}, {"features": "all"}, {"width": 30, "heads": 4},
    {"features": "spread", "head": "bars"},
])  # fmt: skip
def test_a_network_that_cannot_be_is_refused(bad):
    refuses("ModelConfig", lambda: PFN(ModelConfig(**bad), BORDERS))


@pytest.mark.parametrize("config", ["ours", "spread"])
def test_a_training_compiles_to_one_graph(config, batch):
    """The likelihood compiles without graph breaks, which would cost time on a GPU."""
    x, y, queries = batch
    net = make(CONFIGS[config]).train()
    compiled = torch.compile(net.log_density, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x, y, queries, queries / 30), net.log_density(x, y, queries, queries / 30))


def test_the_level_follows_the_newest_points():
    x = torch.arange(1.0, 31)[None]
    assert torch.allclose(last_level(x, torch.full((1, 30), 0.7), None), torch.tensor([[0.7]]))
    assert 0.8 < last_level(x, torch.where(x > 20, 0.9, 0.1), None).item() < 0.9


def test_the_spread_is_in_the_unit_of_the_curve_and_never_nothing():
    inputs, x = SpreadInputs(8), torch.arange(1.0, 21).expand(5, -1)
    y = torch.rand(5, 20, generator=torch.Generator().manual_seed(0))
    level, spread = inputs.stand(x, y, None).split(1, dim=1)
    wider = inputs.stand(x, level + 10 * (y - level), None)
    assert torch.allclose(wider, torch.cat([level, 10 * spread], 1), rtol=1e-4)
    for n in (1, 20):
        stand = inputs.stand(x[:1, :n], torch.full((1, n), 0.7), None)
        assert torch.allclose(stand, torch.tensor([[0.7, LEAST_SPREAD]]), rtol=1e-3)


@torch.no_grad()
def test_tokens_tell_the_size_once_and_the_shape_in_its_units():
    inputs, y = SpreadInputs(8), torch.rand(1, 9) * 0.2
    x, query = torch.arange(1.0, 10)[None], torch.tensor([[12.0]])
    stand = inputs.stand(x, y, None)
    wider = stand[:, :1] + 3 * (y - stand[:, :1])
    asked = inputs(x, y, query, stand)[:, 9:]
    assert torch.equal(asked, inputs(x, wider, query, stand)[:, 9:])
    for factors in ([3.0, 1.0], [1.0, 3.0]):  # the level, the spread
        assert not torch.equal(inputs(x, y, query, stand * torch.tensor(factors))[:, 9:], asked)
    inputs.y.weight[:, :3] = 0  # the units of the curve alone, and no size told
    inputs.level.weight.zero_()
    tokens, wider_tokens = (inputs(x, a, query, inputs.stand(x, a, None)) for a in (y, wider))
    assert torch.allclose(tokens, wider_tokens, atol=1e-3)


def test_masks_show_what_their_kind_says():
    """Causal: itself and what is earlier; PFN: all read the context, a query itself if it may, and nobody else a query."""
    assert mask("causal", 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert mask("full", 4, 2).all()
    for itself in (True, False):
        seen = mask("pfn", 5, 2, itself)
        assert seen[:, :2].all() and not seen[:2, 2:].any()
        assert torch.equal(seen[2:, 2:], torch.eye(3, dtype=torch.bool) & itself)
    bad = {("diagonal", 4, 2): "full, causal, pfn", ("pfn", 4, 0): "1 to 4", ("pfn", 4, 5): "1 to 4"}
    for call, says in bad.items():
        refuses(says, mask, *call)


@pytest.mark.parametrize("itself", [True, False], ids=["sees itself", "blind"])
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("seen", [1, 15, 29])
def test_torchs_layers_with_the_same_weights_answer_and_learn_the_same(norm, itself, seen):
    ours = make(replace(ModelConfig.paper(32, 3), heads=4, norm=norm, query_sees_itself=itself))
    stock, batch = port(ours), beginnings(seen)
    assert (stock(*batch) - ours(*batch)).abs().max() < 1e-5 * ours(*batch).abs().max()
    with torch.no_grad():
        assert (stock(*batch) - ours(*batch)).abs().max() < 1e-5 * ours(*batch).abs().max()
    for module in (ours, stock):
        module(*batch).log_softmax(-1)[..., 7].mean().backward()
    pairs = [(ours.inputs.y.weight, stock.y.weight), (ours.head.out.bias, stock.head[2].bias),
             (ours.layers[0].qkv.weight, stock.encoder.layers[0].self_attn.in_proj_weight)]  # fmt: skip
    for mine, theirs in pairs:
        assert torch.allclose(mine.grad, theirs.grad, atol=1e-5)


def test_the_port_is_made_of_stock_layers():
    inside = [m for m in Port(ModelConfig.paper(32, 1)).modules() if type(m) is not Port]
    assert all(type(m).__module__.startswith("torch.nn") for m in inside)
    refuses(r"ModelConfig\.paper", lambda: port(make(CONFIGS["ours"])))


def test_dependence_is_the_absolute_slope_and_zero_without_a_path():
    matrix = torch.tensor([[2.0, 0.0, -3.0], [0.0, 0.5, 0.0]])
    inputs, other = torch.randn(3, requires_grad=True), torch.ones(1, requires_grad=True)
    outputs = torch.cat([matrix @ inputs, other])
    assert torch.equal(dependence(outputs, inputs), torch.cat([matrix.abs(), torch.zeros(1, 3)]))
    for bad, says in ((torch.ones(2), "requires_grad_"), (inputs, None)):
        refuses(says or "one row", dependence, torch.ones(2) if says else torch.ones(2, 2), bad)


def test_dropout_by_words_is_dropout():
    drop, x = Dropout(0.2), torch.ones(300, 1001)
    drop.words = np.random.SFC64(1)
    dropped = drop(x)
    assert set(dropped.unique().tolist()) == {0.0, 1.25} and abs(dropped.mean() - 1) < 0.004
    assert max((dropped.mean(i) - 1).abs().max() for i in (0, 1)) < 0.15 and torch.equal(drop.eval()(x), x)
