"""Guards reproduce/craft/starts: spreads known by theory, norms and their batches, and a batch of one."""

import math
from dataclasses import replace

import pytest
import torch
from torch import nn

from curvecast.ground.errors import UserError
from reproduce.craft._digits import Digits, Split
from reproduce.craft._runs import curves, layers
from reproduce.craft.starts.networks import NORM, check
from reproduce.craft.starts.question import SCALES, claims, measure
from reproduce.craft.starts.weights import GLOROT, NEW, OLD, begin, spread


@pytest.mark.parametrize(("start", "variance"), [(OLD, 51), (NEW, 1.5), (GLOROT, 50 * 2 / 8_100 + 1)])
def test_variances_of_active_weights_and_of_the_bias_add_up(start, variance):
    assert spread(start, inputs=100, neurons=8_000, seed=0) == pytest.approx(math.sqrt(variance), rel=0.04)


def test_starts_differ_in_weights_alone():
    net = layers(30)
    torch.manual_seed(0)
    begin(net, OLD)
    assert net[0].weight.std().item() == pytest.approx(1, rel=0.1) and not net[0].bias.any()


def test_batch_norm_makes_an_image_depend_on_its_batch_and_layer_norm_does_not():
    torch.manual_seed(0)
    one, others = torch.randn(1, 6), torch.randn(3, 6)
    for norm, alone in (("batch", False), ("layer", True)):
        layer = NORM[norm](6)
        outputs = [layer(torch.cat([one, company]))[0] for company in (others, others + 1)]
        assert torch.allclose(*outputs) == alone
    assert torch.allclose(nn.LayerNorm(6)(one).mean(), torch.tensor(0.0), atol=1e-6)


def test_batch_norm_scales_test_images_by_averages_that_it_kept_in_training():
    """After each batch a tenth of its mean and variance enters them; test images change nothing."""
    torch.manual_seed(0)
    net, mean, variance = layers(6, activation=nn.Tanh, between=NORM["batch"]), torch.zeros(6), torch.ones(6)
    images = Digits(torch.randn(4, 64), torch.arange(4))
    for x in torch.randn(3, 5, 64):
        net.train()(x)
        mean, variance = 0.9 * mean + 0.1 * net[0](x).mean(0), 0.9 * variance + 0.1 * net[0](x).var(0)
    cost = curves(net, Split(images, images))["test_cost"]
    logits = net[3](((net[0](images.x) - mean) / (variance + net[1].eps).sqrt()).tanh())
    assert cost == pytest.approx(nn.functional.cross_entropy(logits, images.y).item(), abs=1e-5)


@pytest.mark.parametrize(("images", "batch"), [(20, 1), (21, 10), (1, 10)])
def test_batch_norm_refuses_a_batch_of_one_and_layer_norm_takes_it(images, batch):
    with pytest.raises(UserError, match="another batch size, or layer normalisation"):
        check("batch", images, batch)
    check("layer", images, batch)


def test_claims_follow_the_rows():
    config = replace(SCALES["smoke"], neurons=20_000, draws=5, depths=(1,))
    rows = measure(config, "all")
    assert [claim.holds() for claim in claims(rows, config)][1] is True
    runs, ahead = rows["runs"], 0.5
    runs["test_accuracy"] = (runs["norm"] == "batch") * ahead + runs["seed"] / 100
    assert claims(rows, config)[3].value == pytest.approx(ahead) and claims(rows, config)[3].holds()
    assert claims(rows, config)[2].value == 0
