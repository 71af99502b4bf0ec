"""Guards other_priors/: curves of the right kind, graphs whose interventions move descendants alone, clear refusals."""

import numpy as np
import pytest
import torch

from curvecast.curves.draw import Draw
from curvecast.curves.other_priors.basis_curves import ELEVEN, BasisCurves
from curvecast.curves.other_priors.causal_graph import CURVE, SETTINGS, CausalGraphs, Graph
from curvecast.curves.other_priors.mixture import Mixture
from curvecast.curves.other_priors.random_network import RandomNetwork
from curvecast.curves.other_priors.rejection import accepted
from curvecast.curves.prior import PriorConfig
from curvecast.ground.errors import UserError
from curvecast.training.batches import check
from curvecast.training.train import TrainConfig, name

PRIORS = (PriorConfig(length=30), BasisCurves(length=30), RandomNetwork(length=30), CausalGraphs(length=30))


def torch_generator(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)
def test_curves_lie_between_0_and_1_with_noise_of_their_own_scale(prior):
    """The same generator gives the same curves, and each prior its own."""
    curves = prior.sample(600, torch_generator())
    assert curves.clean.shape == curves.noisy.shape == (600, 30) and curves.sigma.shape == (600,)
    assert curves.clean.min() >= 0 and curves.clean.max() <= 1
    z = (curves.noisy - curves.clean) / curves.sigma[:, None]
    assert abs(z.mean()) < 0.04 and abs(z.std() - 1) < 0.03  # five standard errors
    assert torch.equal(prior.sample(600, torch_generator()).noisy, curves.noisy)
    assert len(prior.sample(7, np.random.default_rng(0)).noisy) == 7


def test_trainings_on_different_priors_have_different_names():
    """Weights are found by the prior's fields and behaviour numbers."""
    assert len({name(TrainConfig(prior=prior)) for prior in PRIORS}) == len(PRIORS)


def test_the_paper_s_prior_is_its_three_families():
    """With the three families alone, and all of them in each curve, means are the paper's."""
    three = BasisCurves(families=("pow3", "ilog2", "janoschek"))
    some, paper = (
        prior.sample(20_000, torch_generator()).clean[:, [0, 9, 99]] for prior in (three, PriorConfig())
    )
    assert torch.allclose(some.mean(0), paper.mean(0), atol=0.012)  # five standard errors


@pytest.mark.parametrize("family", ELEVEN)
def test_each_family_rises_to_a_level(family):
    """A family alone gives curves that pass, and that hardly move at the end."""
    clean = BasisCurves(families=(family,), terms=1).sample(200, torch_generator()).clean
    assert (clean[:, -1] > clean[:, 0]).all() and (clean[:, -1] - clean[:, -2]).abs().median() < 0.01


def test_an_intervention_moves_descendants_and_nothing_else():
    """The rate is set by hand: what does not descend from it keeps each value, and what does is moved."""
    graph = CausalGraphs(nodes=(20, 20), arrows=(0.3, 0.3)).graph(torch_generator(3))
    as_drawn, set_by_hand = (graph.values(50, torch_generator(1), do) for do in (None, {"rate": 2.0}))
    below = graph.descendants("rate")
    assert below and set(SETTINGS + CURVE) - below
    for node in graph.order:
        moved = not torch.equal(as_drawn[node], set_by_hand[node])
        assert moved == (node in below or node == "rate"), node


def test_causes_come_before_effects():
    """A graph of our own: the curve's end follows the rate, its start does not."""
    graph = Graph(
        {"end": ("rate",), **dict.fromkeys((*SETTINGS, "start", "speed", "sharpness", "roughness"), ())},
        torch_generator(),
    )
    assert graph.descendants("rate") == {"end"} and graph.descendants("start") == set()
    curves = graph.runs(40, 20, torch_generator(), {"rate": 1.0}).curves
    assert curves.noisy.shape == (40, 20)


def falling(n):
    """Curves that never pass."""
    return lambda x, rows: -x.expand(len(rows), -1)


def test_a_mixture_takes_each_curve_from_one_of_its_priors():
    """Shares are the weights, and the curves of a number are those of that prior."""
    flat, steep = (BasisCurves(families=(name,), terms=1, length=30) for name in ("ilog2", "exp4"))
    which, curves = Mixture((flat, steep), (0.25, 0.75)).labelled(2000, torch_generator())
    assert abs((which == 1).float().mean() - 0.75) < 0.05  # five standard errors
    at_first = curves.clean[:, 2] - curves.clean[:, 0]
    assert torch.allclose(
        at_first[which == 0].mean(),
        flat.sample(500, torch_generator(1)).clean[:, [0, 2]].diff().mean(),
        atol=0.02,
    )


@pytest.mark.parametrize(("make", "says"), [
    (lambda: Mixture((PriorConfig(),), (0.9,)), "sum to 0.9"),
    (lambda: Mixture((PriorConfig(), BasisCurves()), (1.5, -0.5)), "none is negative"),
    (lambda: Mixture((), ()), "0 priors"),
    (lambda: Mixture((PriorConfig(), PriorConfig(length=50)), (0.5, 0.5)), "one length"),
    (lambda: Graph({"end": ("rate",), "rate": ("end",)}, torch_generator()), "circle"),
    (lambda: Graph({"end": ("rate",)}, torch_generator()), "no node start"),
    (lambda: CausalGraphs().graph(torch_generator()).values(3, torch_generator(), {"luck": 1.0}), "no node luck"),
    (lambda: CausalGraphs(nodes=(3, 9)), "at least 9 nodes"),
    (lambda: BasisCurves(families=("pow5",)), "pow3"),
    (lambda: BasisCurves(terms=12), "terms"),
    (lambda: RandomNetwork(length=1).sample(5, torch_generator()), "2 epochs"),
    (lambda: accepted("falling", falling, 1, 10, Draw(torch_generator()), (-4.0, 1.0)), "stays in"),
    (lambda: check(TrainConfig(prior=RandomNetwork(), draws="number")), "draws='generator'"),
])  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(make, says):
    with pytest.raises(UserError, match=says):
        make()
