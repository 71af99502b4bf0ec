"""Guards trainings of the craft chapter: which images choose, what is equal where two are compared, what a layer does."""

from dataclasses import replace

import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import forecast
from reproduce.craft import cliff, fooled, hyperparameters
from reproduce.craft._digits import Digits, Split, digits
from reproduce.craft._runs import curves, layers
from reproduce.craft.ladder import convolution
from reproduce.craft.starts import NORM


def test_no_image_that_chooses_trains_or_tests(monkeypatch):
    handed, told = [], {}
    monkeypatch.setattr(
        hyperparameters, "train", lambda *args, **more: handed.extend(args) or told.update(more)
    )
    monkeypatch.setattr(hyperparameters, "scores", lambda net, held: (held.x, None))
    at = {"rate": 2.0, "decay": 0.1, "hidden": 6, "batch": 7}
    hyperparameters.run(hyperparameters.Config(images=60, choose=20), at, 3, seed=0)
    whole, (net, split, steps, _) = digits(0, 60), handed
    assert split.train.x.equal(whole.train.x[20:]) and split.test.x.equal(whole.test.x)
    assert told["also"](net)["validation_cost"].equal(whole.train.x[:20])
    assert (steps.epochs, steps.batch, steps.rate, steps.decay) == (3, 7, 2.0, 0.1)


def test_the_rate_is_in_proportion_to_the_batch(monkeypatch):
    tried, columns = [], ["epoch", "seconds", "validation_cost", "test_cost", "test_accuracy"]

    def run(config, at, *_):
        tried.append(at)
        return pd.DataFrame(0.0, [0], columns)

    monkeypatch.setattr(hyperparameters, "run", run)
    config = hyperparameters.Config(batches=(5, 20), usual=(0.5, 0.0, 6, 10), levels=1)
    hyperparameters.measure(config, "seed-0")
    assert [(at["batch"], at["rate"]) for at in tried[-2:]] == [(5, 0.25), (20, 1.0)]


def test_always_answering_the_mean_has_the_loss_that_others_are_shares_of():
    torch.manual_seed(0)
    x, y = cliff.marked_sums(20_000, 8)
    assert y.var().item() == pytest.approx(cliff.CONSTANT, rel=0.03)
    assert torch.equal(x[:, :, 1].view(-1, 2, 4).sum(2), torch.ones(20_000, 2))  # one mark in each half


def test_both_trainings_of_a_seed_see_the_same_numbers_until_one_is_clipped():
    few = replace(cliff.SCALES["smoke"], steps=20)
    assert torch.equal(*(cliff.training(few, 0.1, limit, 3) for limit in (1e9, float("inf"))))


def test_the_median_is_the_one_that_the_package_forecasts():
    """So that the network attacked is the one in use."""
    y = prior.test_set(3).noisy[:, :20].clamp(0, 1)
    network = torch_network.load(shipped.path_of("paper-prior")).model
    runs = forecast(y.numpy(), weights="paper-prior", check=False)
    theirs = [float(run.quantile(0.5)[-1]) for run in runs]
    assert fooled.quantile(network, y).tolist() == pytest.approx(theirs, abs=1e-3)


def test_batch_norm_scales_test_images_by_averages_that_it_kept_in_training():
    """After each batch a tenth of its mean and variance enters them; test images change nothing."""
    torch.manual_seed(0)
    net, mean, variance = layers(6, activation=nn.Tanh, between=NORM["batch"]), torch.zeros(6), torch.ones(6)
    net[1].eps = 0.5  # large, so that it matters whether it is added to the variance or to its root
    images = Digits(torch.randn(4, 64), torch.arange(4))
    for x in torch.randn(3, 5, 64):
        net.train()(x)
        mean, variance = 0.9 * mean + 0.1 * net[0](x).mean(0), 0.9 * variance + 0.1 * net[0](x).var(0)
    cost = curves(net, Split(images, images))["test_cost"]
    logits = net[3](((net[0](images.x) - mean) / (variance + net[1].eps).sqrt()).tanh())
    assert cost == pytest.approx(F.cross_entropy(logits, images.y).item(), abs=1e-5)


def test_filters_shift_with_the_image_and_pooling_forgets_where_in_its_window_a_value_was():
    """Equivariance, away from the border, where zeros enter. Pooling notices a move into the next window."""
    filters, _, pool = convolution(1, 3, nn.ReLU)
    x = torch.rand(1, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(filters(x.roll(2, 3))[..., 3:-1], filters(x).roll(2, 3)[..., 3:-1], atol=1e-6)
    dot = F.pad(
        torch.ones(1, 1, 1, 1), (3, 3, 3, 3)
    )  # a cross-correlation answers with the weights turned round
    answer = (filters(dot) - filters.bias.view(-1, 1, 1))[0, :, 2:5, 2:5]
    assert torch.allclose(answer, filters.weight[:, 0].flip(1, 2), atol=1e-6)
    window = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    there, moved = (F.pad(some, (0, 2, 0, 2))[None] for some in (window, window.flip(0, 1)))
    assert pool(there)[0].tolist() == pool(moved)[0].tolist() == [[4, 0], [0, 0]]
    assert pool(there.roll((2, 2), (1, 2)))[0].tolist() == [[0, 0], [0, 4]]
