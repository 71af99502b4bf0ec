"""Guards other_priors/, scaling_prior, log_axes and scaling_laws: laws are what they are said to be, exact predictives."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.distributions import MultivariateNormal, Normal, kl_divergence

from curvecast.__main__ import main
from curvecast.curves import real_table, scaling_prior
from curvecast.curves.counter import Draw
from curvecast.curves.laws.growth import Dice
from curvecast.curves.other_priors import causal_graph
from curvecast.curves.other_priors.basis_curves import ELEVEN, BasisCurves
from curvecast.curves.other_priors.causal_graph import CURVE, FUNCTIONS, SETTINGS, CausalGraphs, Graph
from curvecast.curves.other_priors.exact_predictive import Finite, Predictive, accepted, divergence, known
from curvecast.curves.other_priors.gaussian_process import GaussianProcess, kernel, mean
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.other_priors.random_network import RandomNetwork
from curvecast.curves.prior import PriorConfig
from curvecast.curves.scaling_prior import ScalingPrior
from curvecast.curves.sources import scaling_laws
from curvecast.ground.log_axes import LogScale
from curvecast.training.batches import check
from curvecast.training.scaling_curves import asked
from curvecast.training.train import TrainConfig
from tests.curvecast.generators import generator
from tests.curvecast.refusals import refuses

PRIORS = (PriorConfig(length=30), BasisCurves(length=30), RandomNetwork(length=30), CausalGraphs(length=30))


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_curves_lie_between_0_and_1_with_noise_of_their_own_scale(prior):
    curves = prior.sample(600, generator())
    assert curves.clean.shape == curves.noisy.shape == (600, 30) and curves.sigma.shape == (600,)
    assert curves.clean.min() >= 0 and curves.clean.max() <= 1
    z = (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(z.mean()) < 0.04 and abs(z.std() - 1) < 0.03  # five standard errors
    assert abs(curves.sigma.log().mean() + 4) < 0.2 or isinstance(prior, CausalGraphs)
    assert torch.equal(prior.sample(600, generator()).noisy, curves.noisy)
    assert len(prior.sample(7, np.random.default_rng(0)).noisy) == 7


MEANS = {  # of 200,000 curves after 1, 3 and 100 epochs, by formulas and laws of the paper's code, file lcpfn/curves.py
    "pow3": (0.233, 0.311, 0.339), "ilog2": (0.177, 0.250, 0.302), "janoschek": (0.196, 0.238, 0.320),
    "log-power": (0.114, 0.209, 0.371), "Weibull": (0.227, 0.271, 0.405), "MMF": (0.250, 0.295, 0.374),
    "vapour pressure": (0.049, 0.115, 0.258), "log-log-linear": (0.225, 0.275, 0.394), "exp4": (0.130, 0.346, 0.407),
    "pow4": (0.201, 0.225, 0.338), "Hill3": (0.131, 0.206, 0.375), "three of all": (0.355, 0.462, 0.676),
}  # fmt: skip


@pytest.mark.parametrize("family", MEANS)
def test_a_family_alone_and_three_of_all_have_the_means_of_the_paper_s_code(family):
    prior = BasisCurves(families=(family,), terms=1) if family in ELEVEN else BasisCurves()
    clean = prior.sample(30_000, generator()).clean[:, [0, 2, 99]]
    assert torch.allclose(clean.mean(0), torch.tensor(MEANS[family]), atol=0.009)  # five standard errors


@pytest.mark.parametrize(
    "f",
    [BasisCurves()._propose(50, Draw(generator())), RandomNetwork()._propose(50, generator())],
)
def test_a_proposal_is_the_same_curve_whoever_is_asked_beside_it(f):
    x, some = torch.arange(1.0, 11), torch.tensor([3, 7, 40])
    assert torch.allclose(f(x, some), f(x, torch.arange(50))[some], atol=1e-6, equal_nan=True)


@pytest.mark.parametrize(("depth", "width"), [(1, (1, 16)), (2, (4, 4))])
def test_a_random_network_varies_as_one_of_independent_gaussian_weights(depth, width):
    """Given a layer, units of the next one are independent Gaussians before tanh; half of depth 2 has one layer."""
    prior = RandomNetwork(depth=depth, width=width, scale=(2, 2), height=(1, 1))
    f = prior._propose(40_000, generator())
    for t, x in ((-1.0, 1.0), (0.0, 10.0), (1.0, 100.0)):
        z = torch.randn(2, 40_000, 4, generator=generator(1))
        layers = [(2 * math.sqrt(1 + t * t) * z[0]).tanh()]
        layers.append((2 * (1 + layers[0].square().mean(1, keepdim=True)).sqrt() * z[1]).tanh())
        expected = 1 / 12 + np.mean([h.square().mean() for h in layers[:depth]])  # and a uniform level
        assert float(f(torch.tensor([x]), torch.arange(40_000)).var()) == pytest.approx(expected, abs=0.03)


def follows(graph, node, cause):
    return node == cause or any(follows(graph, parent, cause) for parent in graph.parents[node])


def test_an_intervention_moves_descendants_and_nothing_else():
    graph = CausalGraphs(nodes=(20, 20), arrows=(0.3, 0.3)).graph(generator(3))
    as_drawn, set_by_hand = (graph.values(50, generator(1), do) for do in (None, {"rate": 2.0}))
    moved = {node for node in graph.order if not torch.equal(as_drawn[node], set_by_hand[node])}
    assert moved == {node for node in graph.order if follows(graph, node, "rate")}
    assert moved - {"rate"} and set(SETTINGS + CURVE) - moved


def test_a_node_is_a_function_of_its_parents_and_of_its_own_noise():
    roots = ("capacity", "noise", "start", "speed", "sharpness", "roughness", "rate", "data")
    graph = Graph({**dict.fromkeys(roots, ()), "end": ("rate", "data")}, generator(8))
    values = graph.values(40_000, generator(), {"rate": 1.0, "data": -2.0})
    assert (values["rate"] == 1).all() and (values["data"] == -2).all()
    pull = (graph.weights["end"] @ torch.tensor([1.0, -2.0])) / math.sqrt(2)
    felt, own = FUNCTIONS[graph.functions["end"]](pull), graph.own["end"]
    assert abs(felt - pull) > 0.5 and abs(values["end"].mean() - math.sqrt(1 - own) * felt) < 0.02
    assert values["end"].var() == pytest.approx(own, rel=0.04)


def test_a_run_goes_from_its_start_to_its_end_at_its_speed():
    nodes = zip(CURVE, (0, -2 / 3, (math.log(9) - 1) / 1.5, math.log(2) / 0.7, 1), strict=True)
    values = {name: torch.tensor([float(value)]) for name, value in nodes}
    run = causal_graph.curves(values, 10, Draw(generator()))
    assert run.clean[0, [0, 9]].tolist() == pytest.approx([1 / 4, 1 / 2 - 1 / 16])
    assert float(run.sigma) == pytest.approx(math.exp(-3))


def falling(n):
    return lambda x, rows: -x.expand(len(rows), -1)


def test_a_mixture_takes_each_curve_from_one_of_its_priors():
    low, high = (GaussianProcess(30, first=level, last=level, level=0.01) for level in (0.0, 1.0))
    which, curves = Mixture((low, high), (0.25, 0.75)).labelled(2000, generator())
    assert abs((which == 1).float().mean() - 0.75) < 0.05  # five standard errors
    assert torch.equal(curves.clean[:, 0] > 0.5, which == 1)


FINITE = Finite(5, 0.1, PriorConfig(length=20))
SMOOTH = GaussianProcess(20, log_sigma_mean=-3.0)
ROUGH = GaussianProcess(20, smooth=0.1, log_sigma_mean=-2.5)
MIXTURE = Mixture((FINITE, SMOOTH, ROUGH), (0.2, 0.5, 0.3))
SEEN, ASKED = torch.tensor([1.0, 2.0, 4.0, 7.0]), torch.tensor([9.0, 20.0])


def curves(prior, n=6):
    y = prior.sample(n, generator(1)).noisy
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
    noisier = GaussianProcess(log_sigma_sd=1.0).sample(4000, generator())
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
    y = prior.sample(20_000, generator(2)).noisy.double()
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
    (lambda: CausalGraphs().graph(generator()).values(3, generator(), {"luck": 1.0}), "no node luck"),
    (lambda: accepted("falling", falling, 1, 10, Draw(generator()), (-4.0, 1.0)), "stays in"),
    (lambda: check(TrainConfig(prior=RandomNetwork(), draws="number")), "draws='generator'"),
    (lambda: Mixture((), ()), "give each its own"), (lambda: Mixture((SMOOTH, ROUGH), (0.5, 0.4)), "must sum to 1"),
    (lambda: Mixture((SMOOTH, ROUGH), (1.5, -0.5)), "none is negative"),
    (lambda: Mixture((SMOOTH, GaussianProcess(30)), (0.5, 0.5)), "take one length"),
    (lambda: GaussianProcess(20, log_sigma_sd=1.0).log_marginal(SEEN, SEEN[None]), "only with log_sigma_sd = 0"),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(make, says):
    refuses(says, make)


PLAIN = ScalingPrior(breaks=(), plateau=0, wiggles=0, spikes=0, records=0, log_noise=(-40, -39))


def test_the_scale_goes_there_and_back_with_its_slope():
    scale, z = LogScale.of(np.log(1.5 + 40 * np.geomspace(1e3, 1e6, 20) ** -0.4)), np.linspace(-3, 8, 50)
    assert np.allclose(scale.back(scale.to(z)), z)
    slope = (scale.to(z + 1e-6) - scale.to(z - 1e-6)) / 2e-6
    assert np.allclose(np.log(np.abs(slope)), scale.log_slope(z), atol=1e-5)
    numbers = np.array([-0.5, 0.0, 0.01, 0.9])
    assert np.allclose(scale.exponent(scale.of_exponent(numbers, 7.0), 7.0), numbers)
    assert np.allclose(scale.floor(scale.of_floor(z)), z)


def test_the_law_that_is_asked_for_is_that_of_the_curve_on_the_scale_of_what_was_seen():
    curves = scaling_prior.sample(ScalingPrior(), 100, 30, 4, torch.Generator().manual_seed(0))
    for until in (5, 30):
        *_, targets, _ = (part.numpy() for part in asked(curves, until))
        scale = LogScale.of(curves.z[:, :until].double().numpy())
        assert np.allclose(scale.floor(targets[:, -2:-1]), curves.floor.numpy(), atol=1e-3)
        exponent = scale.exponent(targets[:, -1:], curves.end.numpy())
        assert np.allclose(exponent, curves.exponent.numpy(), atol=1e-4)


def test_a_curve_without_a_break_is_a_power_law_above_its_floor():
    curves = scaling_prior.sample(PLAIN, 200, 30, 20, torch.Generator().manual_seed(0))
    above = (curves.z.double().exp() - curves.floor.double().exp()).log()
    slope = (above[:, 10] - above[:, 0]) / (curves.l[:, 10] - curves.l[:, 0])
    usual = curves.floor[:, 0] < curves.z[:, -1] + math.log(0.9)  # else too few digits are left
    exponent = curves.exponent[usual, 0].double()
    assert usual.sum() > 100 and torch.allclose(-slope[usual], exponent, rtol=0.02, atol=1e-3)


def test_a_plateau_lowers_the_floor_as_it_lowers_all_values():
    late = replace(PLAIN, plateau=1.0, decades=(25.0, 26.0), slopes=(0.5, 0.6), floor=(1e6, 1e7))
    curves = scaling_prior.sample(late, 100, 20, 20, torch.Generator().manual_seed(0))
    assert (curves.z_query - curves.floor).abs().median() < 1e-3


def test_the_last_slope_of_a_broken_line_is_its_exponent():
    dice, end = Dice(300, torch.Generator().manual_seed(0)), torch.full((300, 1), 5.0)
    places = torch.tensor([[0.0, 60.0, 61.0]]).expand(300, 3)
    z, exponent = scaling_prior.bent(ScalingPrior(breaks=(1.0, 0.5, 0.5)), places, end, dice)
    assert torch.allclose(z[:, 1] - z[:, 2], exponent[:, 0], atol=1e-3)
    assert (exponent < 0).any()
    assert z[:, 0].abs().max() < 1e-6


def test_records_are_the_best_so_far_and_the_others_are_all_there():
    generator = torch.Generator().manual_seed(0)
    noisy = ScalingPrior(records=1.0, log_noise=(-3, -2))
    curves = scaling_prior.sample(noisy, 100, 40, 5, generator)
    falls = torch.where(curves.mask[:, 1:], curves.z.diff(dim=1), 0.0)
    # the others have too few of them
    assert (falls <= 0).all(1).float().mean() > 0.7 and (~curves.mask).any()
    every = scaling_prior.sample(replace(noisy, records=0.0), 100, 40, 5, generator)
    assert every.mask.all() and (every.z.diff(dim=1) > 0).float().mean() > 0.2
    assert (every.l.diff(dim=1) >= 0).all()
    assert (every.l_query > every.l[:, -1:]).all()
    assert (every.l_query <= every.end).all()


HEAD = "Domain,Task,Model,Seen Examples,Loss,Training\n"
IMAGES = (("300,0.2", 0), ("100,0.4", 1), ("200,0.3", 1), ("400,0.1", 0))
VISION = HEAD + "".join(f"IC,inet_5,ViT,{point},{given}\n" for point, given in IMAGES)
LANGUAGE = HEAD + "BB,date,262M,1,0.9,1\nBB,date,262M,2,0.8,1\nBB,date,262M,4,0.7,0\n"
STEPS = np.arange(1.0, 10)
DESCENT = [("cifar10", "Model Size", "Test Error", STEPS, 1 / STEPS)]


@pytest.fixture
def clone(tmp_path):
    folder = tmp_path / "clone" / "data"
    folder.mkdir(parents=True)
    (folder / "benchmark.vision.csv").write_text(VISION)
    (folder / "benchmark.lang.csv").write_text(LANGUAGE)
    descent = pickle.dumps(DESCENT, protocol=3).replace(b"numpy._core", b"numpy.core")
    (folder / "dd_data.pkl").write_bytes(descent)
    for kind in ("min", "final"):
        np.save(folder / f"{kind}_val_loss_over_n_embd.npy", np.linspace(3, 2, 8)[None])
    np.savez(folder / "colpret.npz", opt=np.stack([STEPS, 2 / STEPS]))
    return folder.parent


def test_what_is_given_is_what_the_benchmark_gives(clone):
    """By a column in its tables; half of the points, or six of seven widths, elsewhere. Those given come first."""
    found = {(curve.part, curve.task): curve for curve in scaling_laws.read(clone)}
    assert found["images", "inet_5"].steps.tolist() == [100, 200, 300, 400]
    assert found["images", "inet_5"].values.tolist() == [0.4, 0.3, 0.2, 0.1]
    given = {key: (curve.given, len(curve.steps)) for key, curve in found.items()}
    assert given == {
        ("images", "inet_5"): (2, 4), ("BIG-Bench", "date"): (2, 3), ("double descent", "cifar10"): (5, 9),
        ("nanoGPT", "min loss"): (6, 7), ("nanoGPT", "final loss"): (6, 7), ("ColPret", "training"): (5, 9),
    }  # fmt: skip


def test_one_table_comes_out_and_another_one_is_told(clone, tmp_path, capsys):
    assert main(["convert", "scaling_laws", str(clone), str(tmp_path / "out")]) == 1
    assert "differs from the published table" in capsys.readouterr().err
    written = tmp_path / "out" / scaling_laws.ORIGIN.file
    table = real_table.table(written, ("part",), ("step", "value", "given"))
    assert len(table) == 4 + 3 + 9 + 7 + 7 + 9 and table["given"].sum() == 2 + 2 + 5 + 6 + 6 + 5


@pytest.mark.parametrize(("file", "data", "complaint"), [
    ("dd_data.pkl", pickle.dumps([("a", "b", "c", print, STEPS)], protocol=3), "asks for .*print"),
    ("dd_data.pkl", b"no pickle", "dd_data.pkl is not laid out as at commit"),
    ("benchmark.lang.csv", HEAD + "BB,date,262M,1,much,1\n", "benchmark.lang.csv is not laid out"),
    ("min_val_loss_over_n_embd.npy", b"", "min_val_loss_over_n_embd.npy is not laid out"),
    ("colpret.npz", b"PK", "colpret.npz is not laid out"), ("colpret.npz", None, r"has no data/colpret\.npz: git clone"),
])  # fmt: skip
def test_another_layout_and_a_missing_file_are_told_and_no_code_runs(clone, file, data, complaint):
    (clone / "data" / file).unlink()
    if data is not None:
        (clone / "data" / file).write_bytes(data if isinstance(data, bytes) else data.encode())
    refuses(complaint, lambda: list(scaling_laws.read(clone)))
