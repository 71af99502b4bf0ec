"""Guards curvecast/networks/model.py: attention over time, never over curves; the paper's network is the paper's."""

import pytest
import torch

from curvecast.curves.prior import PriorConfig, sample
from curvecast.ground.errors import UserError
from curvecast.networks.bars import BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig

BORDERS = make_borders(BarsConfig(buckets=50, curves=500), PriorConfig())
CONFIGS = {
    "ours": ModelConfig(32, 2, 4, components=3),
    "spread": ModelConfig(32, 2, 4, components=3, features="spread"),
    "paper": ModelConfig(32, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
}


def make(config, encoding=None):
    """A network whose zero-initialised layers are filled, so that attention has an effect; in eval mode."""
    torch.manual_seed(1)
    net = PFN(config, BORDERS, encoding)
    for name, parameter in net.named_parameters():
        if "norm" not in name:
            parameter.data += 0.2 * torch.randn_like(parameter)
    return net.eval()


@pytest.fixture(params=CONFIGS)
def net(request):
    return make(CONFIGS[request.param])


@pytest.fixture
def batch():
    noisy = sample(PriorConfig(length=30), 5, torch.Generator().manual_seed(2)).noisy
    x = torch.arange(1.0, 31).expand(5, -1)
    return x[:, :12], noisy[:, :12], x[:, 12:]


def masses(net, *inputs):
    """Bucket masses: logits of buckets that hold nothing are noise."""
    return net(*inputs).softmax(-1)


@torch.no_grad()
def test_context_order_changes_nothing(net, batch):
    """The context is a set: permuting its points leaves the forecast."""
    x, y, queries = batch
    order = torch.randperm(12, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(
        masses(net, x, y, queries), masses(net, x[:, order], y[:, order], queries), atol=1e-4
    )


@torch.no_grad()
def test_queries_do_not_see_each_other(net, batch):
    """A single query gives the same forecast as among others."""
    x, y, queries = batch
    assert torch.allclose(masses(net, x, y, queries)[:, 4:5], masses(net, x, y, queries[:, 4:5]), atol=1e-4)


@torch.no_grad()
def test_curves_of_a_batch_do_not_see_each_other(net, batch):
    """Changing one curve changes its own forecast and no other: attention is not over the batch."""
    x, y, queries = batch
    other = y.clone()
    other[2] += 0.3
    before, after = masses(net, x, y, queries), masses(net, x, other, queries)
    same = [0, 1, 3, 4]
    assert torch.allclose(before[same], after[same], atol=1e-6)
    assert (before[2] - after[2]).abs().max() > 1e-3


@torch.no_grad()
def test_every_context_point_and_the_epoch_matter(net, batch):
    """The output depends on each y of the context, on their epochs, and on the epoch asked for."""
    x, y, queries = batch
    before = net(x, y, queries)
    for place in (0, 5, 11):
        changed = y.clone()
        changed[:, place] += 0.2
        assert (net(x, changed, queries) - before).abs().max() > 1e-3
    assert (net(x * 2, y, queries) - before).abs().max() > 1e-3
    assert (net(x, y, queries + 30) - before).abs().max() > 1e-3


@torch.no_grad()
def test_a_mask_is_as_if_the_points_were_not_there(net, batch):
    """Different cutoffs in a batch, and holes: hidden points may even be NaN; each curve depends only on its own context."""
    hidden, taken_out = with_and_without(net, *batch)
    assert torch.allclose(hidden, taken_out, atol=1e-4)


def with_and_without(net, x, y, queries):
    """The forecasts where some points are hidden, and those of each curve alone, where they are not there."""
    mask = torch.arange(12) < torch.tensor([3, 12, 7, 1, 10])[:, None]
    mask[1:3, [1, 3, 4]] = False
    rows = zip(x, y, queries, mask, strict=True)
    alone = [masses(net, x[None, seen], y[None, seen], query[None]) for x, y, query, seen in rows]
    return masses(net, x, torch.where(mask, y, torch.nan), queries, mask), torch.cat(alone)


@torch.no_grad()
def test_any_epochs_will_do(net):
    """Gaps, fractions and epochs beyond 100 give finite forecasts."""
    x = torch.tensor([[0.5, 3.0, 17.0, 250.0]])
    assert torch.isfinite(net(x, torch.rand(1, 4), torch.tensor([[1000.0]]))).all()


def test_the_paper_s_network_has_the_paper_s_size():
    """Parameter counts with 1000 buckets: 26.8 M for P3 (26 M printed), 2.23 M for P2."""
    borders = torch.linspace(0, 1, 1001)
    count = [
        sum(p.numel() for p in PFN(ModelConfig.paper(d, n), borders).parameters())
        for d, n in ((512, 12), (256, 3))
    ]
    assert count == [26_785_768, 2_226_920]


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
    """Each method alone changes the forecast; none of them breaks masks."""
    encoding = type("One", (), {keep: getattr(Shift, keep)})()
    plain, with_it = make(CONFIGS[config]), make(CONFIGS[config], encoding)
    x, y, queries = batch
    assert (plain(x, y, queries) - with_it(x, y, queries)).abs().max() > 1e-4
    hidden, taken_out = with_and_without(with_it, x, y, queries)
    assert torch.allclose(hidden, taken_out, atol=1e-4)


@pytest.mark.parametrize(
    "bad",
    [
        {"norm": "both"},
        {"head": "none"},
        {"features": "all"},
        {"width": 30, "heads": 4},
        {"features": "spread", "head": "bars"},
    ],
)
def test_a_network_that_cannot_be_is_refused(bad):
    """A misspelt choice names the field and the choices."""
    with pytest.raises(UserError, match="ModelConfig"):
        PFN(ModelConfig(**bad), BORDERS)


@pytest.mark.parametrize("config", ["ours", "spread"])
def test_a_training_compiles_to_one_graph(config, batch):
    """The likelihood compiles without graph breaks, which would cost time on a GPU."""
    x, y, queries = batch
    net = make(CONFIGS[config]).train()
    compiled = torch.compile(net.log_density, backend="eager", fullgraph=True)
    assert torch.equal(compiled(x, y, queries, queries / 30), net.log_density(x, y, queries, queries / 30))


@pytest.mark.parametrize("y", ["constant", "one point", "huge", "nearly constant"])
def test_units_of_the_spread_break_at_no_curve(y, batch):
    """Likelihood and gradients stay finite where there is no spread, or far too much."""
    seen = 1 if y == "one point" else 12
    x, values, queries = batch[0][:, :seen], batch[1][:, :seen], batch[2]
    values = {
        "constant": torch.full_like(values, 0.3), "one point": values, "huge": 1e4 * values,
        "nearly constant": 0.3 + 1e-6 * values,
    }[y]  # fmt: skip
    net = make(CONFIGS["spread"]).train()
    loss = net.log_density(x, values, queries, queries / 30)
    loss.mean().backward()
    assert torch.isfinite(loss).all()
    assert all(torch.isfinite(p.grad).all() for p in net.parameters() if p.grad is not None)
    density = net.eval().density(x, values, queries)
    assert torch.isfinite(density.quantile(0.05)).all() and torch.isfinite(density.mean()).all()
