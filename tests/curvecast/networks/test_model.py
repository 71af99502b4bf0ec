"""Guards what a network sees, how it answers, and torch's own layers; and one density, however it is computed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from curvecast.curves.prior import PriorConfig, sample
from curvecast.networks.bars import LEAST_WIDTH, Bars, BarsConfig, Buckets, distinct_borders, make_borders
from curvecast.networks.heads import BarsHead, MixtureHead, SpreadHead
from curvecast.networks.inputs import LEAST_SPREAD, SpreadInputs, last_level
from curvecast.networks.layer import Dropout, dependence, mask
from curvecast.networks.mixture import MixtureBars
from curvecast.networks.model import PFN, ModelConfig
from curvecast.networks.port import Port, port
from curvecast.training import train
from tests.curvecast.refusals import refuses

BORDERS = make_borders(BarsConfig(buckets=50, curves=500), PriorConfig())
CONFIGS = {
    "ours": ModelConfig(32, 2, 4, components=3), "spread": ModelConfig(32, 2, 4, components=3, features="spread"),
    "paper": ModelConfig(32, 2, 2, 2, "post", 0.2, "paper", "bars", query_sees_itself=True),
}  # fmt: skip


def make(config):
    """A network whose zero-initialised layers are filled, so that attention has an effect; in eval mode."""
    torch.manual_seed(1)
    net = PFN(config, BORDERS)
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


def test_the_paper_s_network_has_the_paper_s_size_and_starts_as_copies_that_do_nothing():
    borders = torch.linspace(0, 1, 1001)
    nets = [PFN(ModelConfig.paper(d, n), borders) for d, n in ((512, 12), (256, 3))]
    assert [sum(p.numel() for p in net.parameters()) for net in nets] == [26_785_768, 2_226_920]
    first, *others = nets[1].layers
    for other in others:
        assert all(torch.equal(a, b) for a, b in zip(first.parameters(), other.parameters(), strict=True))
    assert not first.out.weight.any() and not first.narrow.weight.any() and not first.out.bias.any()


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


def test_dependence_is_the_absolute_slope_and_zero_without_a_path():
    matrix = torch.tensor([[2.0, 0.0, -3.0], [0.0, 0.5, 0.0]])
    inputs, other = torch.randn(3, requires_grad=True), torch.ones(1, requires_grad=True)
    outputs = torch.cat([matrix @ inputs, other])
    assert torch.equal(dependence(outputs, inputs), torch.cat([matrix.abs(), torch.zeros(1, 3)]))


def test_dropout_by_words_is_dropout():
    drop, x = Dropout(0.2), torch.ones(300, 1001)
    drop.words = np.random.SFC64(1)
    dropped = drop(x)
    assert set(dropped.unique().tolist()) == {0.0, 1.25} and abs(dropped.mean() - 1) < 0.004
    assert max((dropped.mean(i) - 1).abs().max() for i in (0, 1)) < 0.15 and torch.equal(drop.eval()(x), x)


PUBLISHED = Path(__file__).resolve().parents[3] / "weights" / "published"
SHARP = make_borders(BarsConfig(buckets=20, curves=500), PriorConfig()).double()
USUAL = make_borders(BarsConfig(), PriorConfig())
BUCKETS = Buckets(SHARP)
GRID = torch.linspace(-4, 6, 400_001, dtype=torch.float64)


def bars(seed=0):
    logits = 2 * torch.randn(20, generator=torch.Generator().manual_seed(seed)).double()
    made = Bars(SHARP, logits)
    made.log_p = logits.log_softmax(-1)  # float64, so that the integrals below are sharp
    return made


@pytest.mark.parametrize("seed", range(4))
def test_cdf_mean_and_crps_are_integrals_of_the_density(seed):
    made = bars(seed)
    wide = Bars(SHARP, torch.zeros(20))
    wide.log_p = made.log_p.expand(len(GRID), 20)
    pdf, cdf = wide.log_density(GRID).exp(), wide.cdf(GRID)
    mass = torch.cumulative_trapezoid(pdf, GRID)
    assert abs(mass[-1] - 1) < 1e-3 and (mass - (cdf[1:] - cdf[0])).abs().max() < 1e-3
    assert abs(torch.trapezoid(GRID * pdf, GRID) - made.mean()) < 1e-3
    for y in torch.tensor([-0.6, -0.01, 0.3, 0.77, 1.3, 2.5], dtype=torch.float64):
        square = (cdf - (y <= GRID).double()).square()
        assert abs(torch.trapezoid(square, GRID) - made.crps(y)) < 1e-3


@given(level=st.floats(1e-6, 1 - 1e-6), seed=st.integers(0, 50))
def test_quantile_undoes_the_cdf(level, seed):
    made = bars(seed)
    y = made.quantile(level)
    assert abs(made.cdf(y) - level) < 1e-6 and abs(made.exceeds(y) + made.cdf(y) - 1) < 1e-6


def test_samples_follow_the_cdf_and_none_is_infinite(monkeypatch):
    """Within five standard errors of 10,000; and a uniform number of exactly 0 comes once in 2^24 draws."""
    made, many = bars(3), bars(3)
    many.log_p = made.log_p.expand(100, 20)
    y = many.sample(100, torch.Generator().manual_seed(0))
    for place in torch.tensor([-0.3, 0.0, 0.4, 0.9, 1.25], dtype=torch.float64):
        assert abs((y <= place).double().mean() - made.cdf(place)) < 0.025
    monkeypatch.setattr(torch, "rand", lambda shape, **_: torch.zeros(shape))
    assert torch.isfinite(made.sample(2, torch.Generator())).all()


def test_half_of_a_tail_lies_inside_its_bucket_and_a_far_share_keeps_its_digits():
    """The paper's rule for the scale of a tail; twenty scales out 1 - share would be 0 or noise."""
    logits = torch.full((20,), -50.0)
    logits[0] = 0.0
    made = Bars(SHARP.float(), logits)
    assert abs(made.cdf(made.borders[0]) - 0.5) < 1e-5
    above = BUCKETS.share_above(BUCKETS.last + 20 * BUCKETS.high, torch.tensor(19))
    assert 0 < above < 1e-80


def test_borders_are_quantiles_of_the_prior_and_nobody_shares_them():
    borders = make_borders(BarsConfig(buckets=50), PriorConfig())
    y = sample(PriorConfig(), 10_000, torch.Generator().manual_seed(9)).noisy.flatten()
    share = torch.histogram(y, borders[1:-1])[0] / len(y)
    assert (share * 50 - 1).abs().max() < 0.15  # curves move together: as sure as 10,000, not a million
    make_borders(BarsConfig(buckets=20, curves=500), PriorConfig()).zero_()
    assert torch.equal(make_borders(BarsConfig(buckets=20, curves=500), PriorConfig()).double(), SHARP)
    published = train.load(next(PUBLISHED.glob("ours-1x64-*.safetensors")))
    today = make_borders(published.config.bars, published.config.prior)
    assert torch.allclose(today, published.model.borders, atol=1e-6, rtol=0)


def test_tame_tails_do_not_depend_on_the_seed_and_the_paper_s_do():
    apart = {}
    for tails in ("tame", "paper"):
        ends = [make_borders(BarsConfig(tails=tails, seed=seed), PriorConfig())[[0, -1]] for seed in (0, 1)]
        apart[tails] = (ends[0] - ends[1]).abs().max()
    assert apart["tame"] < 0.1 and apart["paper"] > 0.3


@pytest.mark.parametrize("tails", ["tame", "paper"])
def test_every_bucket_has_a_width_where_values_tie(tails):
    borders = make_borders(BarsConfig(tails=tails, curves=2000), PriorConfig(real=True))
    assert borders.diff().min() > 0.99 * LEAST_WIDTH and len(borders) < 1001
    many = Bars(borders, torch.randn(7, len(borders) - 1, generator=torch.Generator().manual_seed(0)))
    y = torch.tensor([-1.0, 0.0, 0.2, 0.5, 0.9, 1.0, 2.0])
    for values in (many.crps(y), many.log_density(y), many.cdf(y), many.quantile(0.05), many.mean()):
        assert torch.isfinite(values).all()
    near = torch.tensor([0, 0.4, 0.9, 1.1, 1.2, 3]).double() * LEAST_WIDTH
    assert torch.equal(distinct_borders(near), near[[0, 3, 5]])
    assert torch.equal(distinct_borders(USUAL), USUAL)


@pytest.fixture(scope="module", params=["narrow", "usual", "wide", "outside"])
def pair(request):
    """A random mixture (4, 7) and its bars, from the same head."""
    torch.manual_seed(0)
    head = MixtureHead(16, 10, USUAL)
    with torch.no_grad():
        head.out.weight.mul_(3)
        head.out.bias[20:] += {"narrow": -3.0, "wide": 2.0}.get(request.param, 0.0)
        level = torch.linspace(-0.5, 1.5, 4)[:, None] * (3 if request.param == "outside" else 1)
        mixture = head.density(torch.randn(4, 7, 16), level)
        return mixture, Bars(USUAL, mixture.log_masses())


def test_a_mixture_answers_as_its_bars(pair):
    mixture, its_bars = pair
    for level in (0.001, 0.05, 0.5, 0.95, 0.999):
        assert torch.allclose(mixture.quantile(level), its_bars.quantile(level), atol=2e-4)
    for y in (-3.0, -0.2, 0.0, 0.31, 0.5, 0.99, 1.4, 4.0):
        at = torch.full((4, 7), y)
        assert torch.allclose(mixture.cdf(at), its_bars.cdf(at), atol=1e-5)
        assert torch.allclose(mixture.exceeds(at), its_bars.exceeds(at), atol=1e-5)
        assert torch.allclose(mixture.cdf(torch.tensor(y)), mixture.cdf(at))
        assert torch.allclose(mixture.crps(at), its_bars.crps(at))
    for bounds in ((), (0.0, 1.0), (0.4, 0.6)):
        assert torch.allclose(mixture.mean(*bounds), its_bars.mean(*bounds), atol=1e-4)


def test_several_levels_and_some_of_the_densities_are_each_alone(pair):
    for density in pair:
        levels = torch.tensor([0.05, 0.5, 0.95])
        together = density.quantile(levels[:, None, None])
        assert torch.equal(together, torch.stack([density.quantile(level) for level in levels.tolist()]))
        own = torch.linspace(0.1, 0.9, 28).reshape(4, 7)
        assert torch.equal(density.quantile(own)[2, 3], density.quantile(own[2, 3].item())[2, 3])
        for rows in (2, slice(1, 3), (1, slice(2, 4))):
            assert torch.allclose(density[rows].quantile(0.3), density.quantile(0.3)[rows], atol=1e-6)


def test_masses_of_a_normal_are_differences_of_its_cdf():
    one = MixtureBars(torch.linspace(-6, 6, 51), torch.zeros(1), torch.zeros(1), torch.ones(1))
    exact = torch.special.ndtr(one.borders[1:-1].double()).diff()
    assert torch.allclose(one.log_masses()[1:-1].double().exp(), exact, rtol=2e-3, atol=0)


@pytest.mark.parametrize("y", [-1.0, 0.5, 1.1])
def test_a_component_far_away_is_pulled_home(y):
    """Hundreds of scales off, where a cdf has no slope in float32: the slope is that of the tail of a normal."""
    mean, scale = torch.tensor([0.25], requires_grad=True), torch.tensor([5e-4])
    MixtureBars(USUAL, torch.zeros(1), mean, scale).log_density(torch.tensor(y), floor=False).backward()
    k = torch.searchsorted(USUAL[1:-1], y)
    edge = USUAL[k] if y > 0.25 else USUAL[k + 1]  # the nearer end of the bucket
    assert mean.grad.item() == pytest.approx(((edge - 0.25) / scale**2).item(), rel=1e-2)


def head_of(kind):
    torch.manual_seed(0)
    heads = {"mixture": (MixtureHead, 5), "spread": (SpreadHead, 5), "bars": (BarsHead,)}
    make, *components = heads[kind]
    head = make(16, *components, make_borders(BarsConfig(buckets=60, curves=500), PriorConfig()))
    for parameter in head.parameters():
        parameter.data += 0.3 * torch.randn_like(parameter)
    return head.eval()


@pytest.mark.parametrize("kind", ["mixture", "spread", "bars"])
@torch.no_grad()
def test_the_fast_log_density_is_that_of_all_masses(kind):
    head, encoded, stand = head_of(kind), torch.randn(7, 40, 16), torch.rand(7, 2 if kind == "spread" else 1)
    y = torch.rand(7, 40) * 2.4 - 0.7
    slow, fast = Bars(head.borders, head(encoded, stand)).log_density(y), head.log_density(encoded, stand, y)
    sane = slow > -12  # smaller masses lose digits in the long way
    assert sane.float().mean() > 0.5 and torch.allclose(slow[sane], fast[sane], atol=2e-3, rtol=1e-4)
    assert torch.allclose(head.log_density(encoded, stand, y[..., None].expand(-1, -1, 3))[..., 1], fast)


@torch.no_grad()
def test_both_ways_end_at_the_same_floor():
    """Where a sharp forecast has no mass; in training there is no floor, to keep a gradient."""
    head, encoded, level = head_of("mixture"), torch.zeros(1, 1, 16), torch.full((1, 1), 0.5)
    head.out.bias[10:] = -9.0  # all components as narrow as they get
    y = torch.tensor([[0.95]])
    slow, fast = Bars(head.borders, head(encoded, level)).log_density(y), head.log_density(encoded, level, y)
    assert torch.allclose(slow, fast, atol=1e-4) and -70 < fast.item() < -50
    assert head.train().log_density(encoded, level, y).item() < -100


@torch.no_grad()
def test_half_of_the_components_live_in_units_of_the_spread():
    head, encoded = head_of("spread"), torch.randn(3, 4, 16)
    stands = torch.tensor([[0.5, 0.01], [0.5, 0.1]])
    (w1, m1, s1), (w2, m2, s2) = (head.mixture(encoded, stand.expand(3, 2)) for stand in stands)
    n = head.scaled
    assert n == 2 and torch.equal(w1, w2)
    assert torch.allclose(10 * (m1 - 0.5)[..., :n], (m2 - 0.5)[..., :n], atol=1e-5)
    assert torch.allclose(10 * s1[..., :n], s2[..., :n], rtol=1e-5)
    assert torch.equal(m1[..., n:], m2[..., n:]) and torch.equal(s1[..., n:], s2[..., n:])


@pytest.mark.parametrize("spread", [1e-4, 0.05, 1e12])
@pytest.mark.parametrize("extreme", [-60.0, 0.0, 60.0])
def test_likelihoods_and_gradients_are_finite_at_any_spread(spread, extreme):
    head = head_of("spread").train()
    with torch.no_grad():
        head.out.bias[5:] += extreme
    encoded = torch.randn(1, 6, 16).requires_grad_()
    stand = torch.tensor([[0.4, spread]], requires_grad=True)
    loss = head.log_density(encoded, stand, torch.tensor([[-2.0, 0.0, 0.4, 0.40001, 1.0, 5.0]]))
    loss.sum().backward()
    for values in (loss, *(leaf.grad for leaf in (encoded, stand, *head.parameters()))):
        assert torch.isfinite(values).all()


@pytest.mark.parametrize(("make", "says"), [
    *((lambda bad=bad: PFN(ModelConfig(**bad), BORDERS), "ModelConfig") for bad in (
        {"norm": "both"}, {"head": "none"}, {"features": "all"}, {"width": 30, "heads": 4},
        {"features": "spread", "head": "bars"})),
    *((lambda bad=bad: make_borders(BarsConfig(**bad), PriorConfig()), "buckets")
      for bad in ({"buckets": 2}, {"tails": "wild"})),
    (lambda: port(PFN(CONFIGS["ours"], BORDERS)), r"ModelConfig\.paper"),
    (lambda: mask("diagonal", 4, 2), "full, causal, pfn"),
])  # fmt: skip
def test_what_cannot_be_is_refused(make, says):
    refuses(says, make)
