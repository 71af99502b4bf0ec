"""Guards ideas of the chapter on the craft of training: what a technique does, by a definition or a closed form."""

import math
from itertools import combinations

import pandas as pd
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.ground.errors import UserError
from reproduce.craft import fooled, rates
from reproduce.craft._runs import Digits, Split, Steps, curves, digits, layers, train
from reproduce.craft.ladder import convolution, vote
from reproduce.craft.overfitting import L1, changes
from reproduce.craft.overfitting import Training as Overfitting
from reproduce.craft.rates import expected_best
from reproduce.craft.steppers.bowl import best
from reproduce.craft.steppers.question import NORM, check, last_cost


def test_no_image_both_trains_and_tests():
    split = digits(seed=0)
    assert len(split.train.y) == 1_000 and len(split.test.y) == 797
    sums = [torch.cat([part.x for part in digits(seed)]).sum().item() for seed in (0, 1)]
    assert sums[0] == sums[1]  # the same images, split anew
    assert len(digits(seed=0, train=100).train.y) == 100


def network(*sizes: int) -> torch.nn.Module:
    torch.manual_seed(0)
    return layers(*sizes)


def test_a_run_that_diverges_is_kept():
    run = train(network(6), digits(0, 60), Steps(epochs=3, rate=1e30), seed=0)
    assert len(run) == 4 and run["train_accuracy"].notna().all()
    assert not math.isfinite(run["train_cost"].iloc[-1]) or run["train_cost"].iloc[-1] > 10


def test_one_class_and_missing_pixels_are_told():
    split = digits(0, 20)
    one = Digits(split.train.x, torch.zeros_like(split.train.y))
    with pytest.raises(UserError, match="at least two classes"):
        train(network(6), Split(one, split.test), Steps(epochs=1), seed=0)
    gone = Digits(split.train.x * math.nan, split.train.y)
    with pytest.raises(UserError, match="not finite"):
        train(network(6), Split(gone, split.test), Steps(epochs=1), seed=0)


FEW = Overfitting(images=40, hidden=6, epochs=10, longest=0.5)


def test_the_gradient_of_l1_is_lambda_times_the_sign():
    net = layers(6)
    changes(FEW, L1)["penalty"](net).backward()
    assert torch.allclose(net[0].weight.grad, FEW.l1 * net[0].weight.sign()) and net[0].bias.grad is None


@pytest.mark.parametrize(("images", "batch"), [(20, 1), (21, 10), (1, 10)])
def test_batch_norm_refuses_a_batch_of_one_and_layer_norm_takes_it(images, batch):
    with pytest.raises(UserError, match="another batch size, or layer normalisation"):
        check("batch", images, batch)
    check("layer", images, batch)


def test_a_vote_is_the_digit_of_most():
    """Neither the largest digit, nor the smallest, nor that of the surest member, the third: 9 - x, ten times as sure."""
    says = [nn.Identity(), nn.Identity(), lambda x: 10 * x.flip(1)]
    assert vote(says, torch.eye(10)[[4, 7]]).tolist() == [4, 7]


def test_the_best_rate_is_that_of_the_least_mean_loss_and_a_run_that_diverged_rules_it_out():
    ends = {0.1: (0.4, 0.4), 0.3: (0.1, 0.9), 1.0: (0.1, math.nan)}
    runs = {rate: [pd.DataFrame({"cost": [2.3, end]}) for end in both] for rate, both in ends.items()}
    assert best({rate: last_cost(some) for rate, some in runs.items()}) == 0.1


def test_the_best_of_n_is_the_mean_over_all_draws():
    some = pd.DataFrame({"validation_cost": [0.3, 0.1, 0.5, 0.2], "test_accuracy": [0.9, 0.8, 0.1, 0.7]})
    for n, found in expected_best(some).items():
        draws = [some.loc[list(places)] for places in combinations(range(4), n)]
        best = [draw.loc[draw["validation_cost"].idxmin(), "test_accuracy"] for draw in draws]
        assert found == pytest.approx(sum(best) / len(best))


def test_no_image_that_chooses_trains_or_tests(monkeypatch):
    handed, told = [], {}
    monkeypatch.setattr(rates, "train", lambda *args, **more: handed.extend(args) or told.update(more))
    monkeypatch.setattr(rates, "scores", lambda net, held: (held.x, None))
    at = {"rate": 2.0, "decay": 0.1, "hidden": 6, "batch": 7}
    rates.tried(rates.Search(images=60, choose=20), at, 3, seed=0)
    whole, (net, split, steps, _) = digits(0, 60), handed
    assert split.train.x.equal(whole.train.x[20:]) and split.test.x.equal(whole.test.x)
    assert told["also"](net)["validation_cost"].equal(whole.train.x[:20])
    assert (steps.epochs, steps.batch, steps.rate, steps.decay) == (3, 7, 2.0, 0.1)


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
    # a cross-correlation answers with the weights turned round
    dot = F.pad(torch.ones(1, 1, 1, 1), (3, 3, 3, 3))
    answer = (filters(dot) - filters.bias.view(-1, 1, 1))[0, :, 2:5, 2:5]
    assert torch.allclose(answer, filters.weight[:, 0].flip(1, 2), atol=1e-6)
    window = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    there, moved = (F.pad(some, (0, 2, 0, 2))[None] for some in (window, window.flip(0, 1)))
    assert pool(there)[0].tolist() == pool(moved)[0].tolist() == [[4, 0], [0, 0]]
    assert pool(there.roll((2, 2), (1, 2)))[0].tolist() == [[0, 0], [0, 4]]
