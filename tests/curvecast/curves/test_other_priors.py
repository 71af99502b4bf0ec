"""Guards other_priors/: curves of the right kind, interventions, exact predictives by enumeration and by torch, refusals."""

import math

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, Normal, kl_divergence

from curvecast.curves.counter import Draw
from curvecast.curves.other_priors import causal_graph
from curvecast.curves.other_priors.basis_curves import ELEVEN, BasisCurves
from curvecast.curves.other_priors.causal_graph import CURVE, FUNCTIONS, SETTINGS, CausalGraphs, Graph
from curvecast.curves.other_priors.exact_predictive import Finite, Predictive, accepted, divergence, known
from curvecast.curves.other_priors.gaussian_process import GaussianProcess, kernel, mean
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.other_priors.random_network import RandomNetwork
from curvecast.curves.prior import PriorConfig
from curvecast.training.batches import check
from curvecast.training.train import TrainConfig, name
from tests.curvecast.refusals import refuses

PRIORS = (PriorConfig(length=30), BasisCurves(length=30), RandomNetwork(length=30), CausalGraphs(length=30))


def torch_generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_curves_lie_between_0_and_1_with_noise_of_their_own_scale(prior):
    curves = prior.sample(600, torch_generator())
    assert curves.clean.shape == curves.noisy.shape == (600, 30) and curves.sigma.shape == (600,)
    assert curves.clean.min() >= 0 and curves.clean.max() <= 1
    z = (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(z.mean()) < 0.04 and abs(z.std() - 1) < 0.03  # five standard errors
    assert abs(curves.sigma.log().mean() + 4) < 0.2 or isinstance(prior, CausalGraphs)
    assert torch.equal(prior.sample(600, torch_generator()).noisy, curves.noisy)
    assert len(prior.sample(7, np.random.default_rng(0)).noisy) == 7


def test_trainings_on_different_priors_have_different_names():
    assert len({name(TrainConfig(prior=prior)) for prior in PRIORS}) == len(PRIORS)
    assert Mixture(PRIORS[1:3], (0.5, 0.5)).behaviour() == PRIORS[1].behaviour() | PRIORS[2].behaviour()


MEANS = {  # of 200,000 curves after 1, 3 and 100 epochs, by formulas and laws of the paper's code, file lcpfn/curves.py
    "pow3": (0.233, 0.311, 0.339), "ilog2": (0.177, 0.250, 0.302), "janoschek": (0.196, 0.238, 0.320),
    "log-power": (0.114, 0.209, 0.371), "Weibull": (0.227, 0.271, 0.405), "MMF": (0.250, 0.295, 0.374),
    "vapour pressure": (0.049, 0.115, 0.258), "log-log-linear": (0.225, 0.275, 0.394), "exp4": (0.130, 0.346, 0.407),
    "pow4": (0.201, 0.225, 0.338), "Hill3": (0.131, 0.206, 0.375), "three of all": (0.355, 0.462, 0.676),
}  # fmt: skip


@pytest.mark.parametrize("family", MEANS)
def test_a_family_alone_and_three_of_all_have_the_means_of_the_paper_s_code(family):
    prior = BasisCurves(families=(family,), terms=1) if family in ELEVEN else BasisCurves()
    clean = prior.sample(30_000, torch_generator()).clean[:, [0, 2, 99]]
    assert torch.allclose(clean.mean(0), torch.tensor(MEANS[family]), atol=0.009)  # five standard errors


@pytest.mark.parametrize(
    "f",
    [BasisCurves()._propose(50, Draw(torch_generator())), RandomNetwork()._propose(50, torch_generator())],
)
def test_a_proposal_is_the_same_curve_whoever_is_asked_beside_it(f):
    x, some = torch.arange(1.0, 11), torch.tensor([3, 7, 40])
    assert torch.allclose(f(x, some), f(x, torch.arange(50))[some], atol=1e-6, equal_nan=True)


@pytest.mark.parametrize(("depth", "width"), [(1, (1, 16)), (2, (4, 4))])
def test_a_random_network_varies_as_one_of_independent_gaussian_weights(depth, width):
    """Given a layer, units of the next one are independent Gaussians before tanh; half of depth 2 has one layer."""
    prior = RandomNetwork(depth=depth, width=width, scale=(2, 2), height=(1, 1))
    f = prior._propose(40_000, torch_generator())
    for t, x in ((-1.0, 1.0), (0.0, 10.0), (1.0, 100.0)):
        z = torch.randn(2, 40_000, 4, generator=torch_generator(1))
        layers = [(2 * math.sqrt(1 + t * t) * z[0]).tanh()]
        layers.append((2 * (1 + layers[0].square().mean(1, keepdim=True)).sqrt() * z[1]).tanh())
        expected = 1 / 12 + np.mean([h.square().mean() for h in layers[:depth]])  # and a uniform level
        assert float(f(torch.tensor([x]), torch.arange(40_000)).var()) == pytest.approx(expected, abs=0.03)


def test_an_intervention_moves_descendants_and_nothing_else():
    graph = CausalGraphs(nodes=(20, 20), arrows=(0.3, 0.3)).graph(torch_generator(3))
    as_drawn, set_by_hand = (graph.values(50, torch_generator(1), do) for do in (None, {"rate": 2.0}))
    below = graph.descendants("rate")
    assert below and set(SETTINGS + CURVE) - below
    for node in graph.order:
        moved = not torch.equal(as_drawn[node], set_by_hand[node])
        assert moved == (node in below or node == "rate"), node


def test_a_node_is_a_function_of_its_parents_and_of_its_own_noise():
    roots = ("capacity", "noise", "start", "speed", "sharpness", "roughness", "rate", "data")
    graph = Graph({**dict.fromkeys(roots, ()), "end": ("rate", "data")}, torch_generator(8))
    assert graph.descendants("rate") == {"end"} and graph.descendants("start") == set()
    values = graph.values(40_000, torch_generator(), {"rate": 1.0, "data": -2.0})
    assert (values["rate"] == 1).all() and (values["data"] == -2).all()
    pull = (graph.weights["end"] @ torch.tensor([1.0, -2.0])) / math.sqrt(2)
    felt, own = FUNCTIONS[graph.functions["end"]](pull), graph.own["end"]
    assert abs(felt - pull) > 0.5 and abs(values["end"].mean() - math.sqrt(1 - own) * felt) < 0.02
    assert values["end"].var() == pytest.approx(own, rel=0.04)


def test_a_run_goes_from_its_start_to_its_end_at_its_speed():
    nodes = zip(CURVE, (0, -2 / 3, (math.log(9) - 1) / 1.5, math.log(2) / 0.7, 1), strict=True)
    values = {name: torch.tensor([float(value)]) for name, value in nodes}
    run = causal_graph.curves(values, 10, Draw(torch_generator()))
    assert run.clean[0, [0, 9]].tolist() == pytest.approx([1 / 4, 1 / 2 - 1 / 16])
    assert float(run.sigma) == pytest.approx(math.exp(-3))


def test_graphs_have_as_many_nodes_and_arrows_as_they_say_and_settings_come_first():
    """The median of log-uniform numbers from 9 to 40 is 19; an arrow has on average a chance of 0.35."""
    graphs = [CausalGraphs().graph(torch_generator(seed)).parents for seed in range(300)]
    nodes = np.array([len(parents) for parents in graphs])
    arrows = np.array([sum(map(len, parents.values())) for parents in graphs])
    assert abs(np.median(nodes) - 19) < 3 and abs(np.mean(arrows / nodes / (nodes - 1)) - 0.35 / 2) < 0.0125
    back = [sum(cause in CURVE for node in SETTINGS for cause in parents[node]) for parents in graphs]
    assert np.mean(back) < 0.3  # of 20 arrows with this chance, nearly all go to the curve


def test_runs_of_a_graph_lie_among_those_of_others():
    prior, generator = CausalGraphs(runs=50), torch_generator()
    first = prior.graph(generator).runs(50, 100, generator).curves.noisy
    found = (prior.sample(200, torch_generator()).noisy[:, None] == first).all(2).any(1).nonzero()
    assert len(found) == 50 and found.max() >= 100


def falling(n):
    return lambda x, rows: -x.expand(len(rows), -1)


def test_a_mixture_takes_each_curve_from_one_of_its_priors():
    low, high = (GaussianProcess(30, first=level, last=level, level=0.01) for level in (0.0, 1.0))
    which, curves = Mixture((low, high), (0.25, 0.75)).labelled(2000, torch_generator())
    assert abs((which == 1).float().mean() - 0.75) < 0.05  # five standard errors
    assert torch.equal(curves.clean[:, 0] > 0.5, which == 1)


FINITE = Finite(5, 0.1, PriorConfig(length=20))
SMOOTH = GaussianProcess(20, log_sigma_mean=-3.0)
ROUGH = GaussianProcess(20, smooth=0.1, log_sigma_mean=-2.5)
MIXTURE = Mixture((FINITE, SMOOTH, ROUGH), (0.2, 0.5, 0.3))
SEEN, ASKED = torch.tensor([1.0, 2.0, 4.0, 7.0]), torch.tensor([9.0, 20.0])


def curves(prior, n=6):
    y = prior.sample(n, torch_generator(1)).noisy
    return y[:, SEEN.long() - 1], y[:, ASKED.long() - 1]


def test_the_density_of_points_under_a_finite_prior_is_a_mean_over_its_curves():
    y, _ = curves(FINITE)
    each = [Normal(f[SEEN.long() - 1], 0.1).log_prob(y).sum(1).exp() for f in known(FINITE)]
    assert torch.allclose(FINITE.log_marginal(SEEN, y).exp(), sum(each) / 5)


def test_mean_and_covariance_of_a_gaussian_process_are_the_written_ones():
    """In log time the tenth epoch of a hundred lies half way, here one length scale before the last one."""
    prior = GaussianProcess(100, first=0.3, last=0.7, level=0.2, rise=0.1, smooth=0.5)
    x = torch.tensor([10.0, 100.0])
    assert mean(prior, x).tolist() == pytest.approx([0.5, 0.7])
    near = 0.04 + 0.01 * math.exp(-1 / 2)
    assert torch.allclose(kernel(prior, x, x), torch.tensor([[0.05, near], [near, 0.05]]).double())
    noisier = GaussianProcess(log_sigma_sd=1.0).sample(4000, torch_generator())
    assert noisier.sigma.log().std() == pytest.approx(1, abs=0.06)  # five standard errors


def test_a_gaussian_process_agrees_with_torch_s_joint_gaussian():
    y, _ = curves(SMOOTH)
    noise = math.exp(2 * SMOOTH.log_sigma_mean) * torch.eye(len(SEEN))
    joint = MultivariateNormal(mean(SMOOTH, SEEN), kernel(SMOOTH, SEEN, SEEN) + noise)
    assert torch.allclose(SMOOTH.log_marginal(SEEN, y), joint.log_prob(y.double()))


@pytest.mark.parametrize("prior", [FINITE, SMOOTH, MIXTURE])
def test_a_predictive_is_a_joint_density_divided_by_that_of_the_beginning(prior):
    y, later = curves(prior)
    found = prior.predictive(SEEN, y, ASKED)
    for q in range(len(ASKED)):
        x, together = torch.cat([SEEN, ASKED[[q]]]), torch.cat([y, later[:, [q]]], 1)
        ratio = prior.log_marginal(x, together) - prior.log_marginal(SEEN, y)
        assert torch.allclose(found.log_density(later)[:, q], ratio)


@pytest.mark.parametrize("prior", [FINITE, ROUGH, MIXTURE])
def test_samples_have_the_law_that_the_predictive_assumes(prior):
    """Under the exact law of 20,000 curves' last points, given no more than the first, quantiles are uniform."""
    y = prior.sample(20_000, torch_generator(2)).noisy.double()
    exact = prior.predictive(SEEN[:1], y[:, :1], ASKED[1:]).whole()
    below = Normal(exact.means, exact.scales).cdf(y[:, -1:, None]) * exact.log_weights.exp()
    deciles = torch.histc(below.sum(-1), 10, 0, 1) / len(y)
    assert (deciles - 0.1).abs().max() < 0.011  # five standard errors


def test_the_divergence_is_nothing_from_itself_and_known_between_gaussians():
    y, _ = curves(MIXTURE)
    exact = MIXTURE.predictive(SEEN, y, ASKED)
    log_p = exact.log_density(grid := exact.grid(300))
    assert divergence(log_p, log_p, grid).abs().max() == 0
    assert torch.allclose(log_p.exp().sum(-1) * (grid[..., 1] - grid[..., 0]), torch.ones(()).double())
    alone = Predictive(*(torch.tensor([[[value]]]).double() for value in (0.0, 0.3, 0.1)))
    other, grid = Normal(0.4, 0.2), alone.grid(300)
    found = divergence(alone.log_density(grid), other.log_prob(grid), grid)
    assert torch.allclose(found, kl_divergence(Normal(0.3, 0.1), other).double())


@pytest.mark.parametrize(("make", "says"), [
    (lambda: Graph({"end": ("rate",), "rate": ("end",)}, torch_generator()), "circle"),
    (lambda: Graph({"end": ("rate",)}, torch_generator()), "no node start"),
    (lambda: CausalGraphs().graph(torch_generator()).values(3, torch_generator(), {"luck": 1.0}), "no node luck"),
    (lambda: CausalGraphs(nodes=(3, 9)), "at least 9 nodes"), (lambda: BasisCurves(families=("pow5",)), "pow3"),
    (lambda: BasisCurves(terms=12), "terms"),
    (lambda: RandomNetwork(length=1).sample(5, torch_generator()), "2 epochs"),
    (lambda: accepted("falling", falling, 1, 10, Draw(torch_generator()), (-4.0, 1.0)), "stays in"),
    (lambda: check(TrainConfig(prior=RandomNetwork(), draws="number")), "draws='generator'"),
    (lambda: Finite(0), "without curves"), (lambda: Finite(5, 0.0), "above 0"),
    (lambda: GaussianProcess(1), "at least 2 epochs"),
    (lambda: GaussianProcess(9, 0.3, 0.7, 0.1, 0.1, 0.5, -4.0, -1.0), "or more"),
    (lambda: Mixture((), ()), "give each its own"), (lambda: Mixture((SMOOTH, ROUGH), (0.5, 0.4)), "must sum to 1"),
    (lambda: Mixture((SMOOTH, ROUGH), (1.5, -0.5)), "none is negative"),
    (lambda: Mixture((SMOOTH, GaussianProcess(30)), (0.5, 0.5)), "take one length"),
    (lambda: GaussianProcess(20, log_sigma_sd=1.0).log_marginal(SEEN, SEEN[None]), "only with log_sigma_sd = 0"),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(make, says):
    refuses(says, make)
