"""Guards ideas of the chapter on the craft of training: what a technique does, by a definition or a closed form."""

import math
from itertools import combinations, pairwise

import numpy as np
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
from reproduce.craft._runs import Digits, Split, Steps, curves, digits, five_times, layers, shifted, train
from reproduce.craft.craft_forecasts import shape
from reproduce.craft.ladder import convolution, vote
from reproduce.craft.overfitting import L1, LIMIT, changes
from reproduce.craft.overfitting import Training as Overfitting
from reproduce.craft.rates import COSINE, DROPS, expected_best, schedules, threshold
from reproduce.craft.rates import Training as Rates
from reproduce.craft.steppers.bowl import (
    CG,
    DESCENT,
    MOMENTUM,
    NEWTON,
    all_races,
    best,
    bowl,
    by_gradients,
    tuned,
)
from reproduce.craft.steppers.question import NORM, check, last_cost

# ----------------------------------------------------------------------------------------------------- images and runs


def test_no_image_both_trains_and_tests():
    split = digits(seed=0)
    assert len(split.train.y) == 1_000 and len(split.test.y) == 797
    sums = [torch.cat([part.x for part in digits(seed)]).sum().item() for seed in (0, 1)]
    assert sums[0] == sums[1]  # the same images, split anew
    assert len(digits(seed=0, train=100).train.y) == 100


def test_an_image_moves_by_a_pixel_and_zeros_enter():
    x = torch.arange(1.0, 65)[None]
    down = shifted(x, 1, 0).reshape(8, 8)
    assert (down[0] == 0).all() and torch.equal(down[1:], x.reshape(8, 8)[:-1])
    left = shifted(x, 0, -1).reshape(8, 8)
    assert (left[:, -1] == 0).all() and torch.equal(left[:, :-1], x.reshape(8, 8)[:, 1:])
    assert x[0, 0] == 1  # the image itself stays


def test_shifts_make_five_times_as_many_of_the_same_labels():
    train = digits(seed=0, train=7).train
    more = five_times(train)
    assert more.x.shape == (35, 64) and torch.equal(more.x[:7], train.x)
    assert torch.equal(more.y[7:14], train.y)


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


# ---------------------------------------------------------------------------------------------------------- techniques

FEW = Overfitting(images=40, hidden=6, epochs=10, longest=0.5)


def test_the_gradient_of_l1_is_lambda_times_the_sign():
    net = layers(6)
    changes(FEW, L1)["penalty"](net).backward()
    assert torch.allclose(net[0].weight.grad, FEW.l1 * net[0].weight.sign()) and net[0].bias.grad is None


def test_max_norm_shortens_the_weights_into_a_unit_that_are_too_long_and_no_others():
    net = layers(6)
    net[0].weight.data[1:] *= 0.1
    before = net[0].weight.detach().clone()
    changes(FEW, LIMIT)["after_step"](net)
    assert net[0].weight[0].norm().item() == pytest.approx(FEW.longest, rel=1e-4)
    assert torch.equal(net[0].weight[1:], before[1:])


def test_batch_norm_makes_an_image_depend_on_its_batch_and_layer_norm_does_not():
    torch.manual_seed(0)
    one, others = torch.randn(1, 6), torch.randn(3, 6)
    for norm, alone in (("batch", False), ("layer", True)):
        layer = NORM[norm](6)
        outputs = [layer(torch.cat([one, company]))[0] for company in (others, others + 1)]
        assert torch.allclose(*outputs) == alone
    assert torch.allclose(nn.LayerNorm(6)(one).mean(), torch.tensor(0.0), atol=1e-6)


@pytest.mark.parametrize(("images", "batch"), [(20, 1), (21, 10), (1, 10)])
def test_batch_norm_refuses_a_batch_of_one_and_layer_norm_takes_it(images, batch):
    with pytest.raises(UserError, match="another batch size, or layer normalisation"):
        check("batch", images, batch)
    check("layer", images, batch)


def picture(side=28):
    return torch.rand(1, 1, side, side, generator=torch.Generator().manual_seed(0))


def test_the_books_layer_has_the_books_shapes_and_counts():
    """5 x 5 on 28 x 28 gives 24 x 24, pooled to 12 x 12; 26 weights a map, 520 for 20. So does a stride of 2."""
    layer = convolution(1, 20, nn.Sigmoid, kernel=5, padding="valid")
    assert layer[0](picture()).shape == (1, 20, 24, 24) and layer(picture()).shape == (1, 20, 12, 12)
    assert sum(p.numel() for p in layer.parameters()) == 520 == 20 * 26
    assert nn.Conv2d(1, 20, 5, stride=2)(picture()).shape == (1, 20, 12, 12)


def test_a_vote_is_the_digit_of_most():
    """Neither the largest digit, nor the smallest, nor that of the surest member, the third: 9 - x, ten times as sure."""
    says = [nn.Identity(), nn.Identity(), lambda x: 10 * x.flip(1)]
    assert vote(says, torch.eye(10)[[4, 7]]).tolist() == [4, 7]


# ------------------------------------------------------------------------------------------- rates, steps and searches

FEW_EPOCHS = Rates(epochs=8, hidden=6, images=60, warm_up=2)


def test_the_rate_drops_by_ten_after_half_and_after_three_quarters():
    shares = [schedules(FEW_EPOCHS)[DROPS](epoch) for epoch in range(1, 9)]
    assert shares == pytest.approx([1, 1, 1, 1, 0.1, 0.1, 0.01, 0.01])


def test_the_cosine_rises_to_the_full_rate_and_ends_at_nothing():
    shares = [schedules(FEW_EPOCHS)[COSINE](epoch) for epoch in range(1, 9)]
    assert shares[:2] == [0.5, 1] and shares[4] == pytest.approx(0.5) and shares[-1] == pytest.approx(0)
    assert shares[1:] == sorted(shares[1:], reverse=True)


def test_the_threshold_is_the_largest_rate_that_lowers_the_cost_and_zero_where_none_does():
    assert threshold(FEW_EPOCHS, (0.05, 0.5, 1e3), epochs=2, batch=10, seed=0) == 0.5
    assert threshold(FEW_EPOCHS, (1e3,), epochs=2, batch=10, seed=0) == 0


def test_a_bowl_has_the_condition_number_that_was_asked_for_and_costs_nothing_at_its_lowest_point():
    on = bowl(6, 50.0, 0)
    steep = torch.linalg.eigvalsh(on.a)
    assert (steep[-1] / steep[0]).item() == pytest.approx(50) and on.cost(on.low) == 0


def test_gradient_descent_shrinks_the_cost_in_each_step_by_at_least_the_factor_of_theory():
    race = by_gradients(bowl(6, 50.0, 0), *tuned(50.0)[DESCENT], steps=40, goal=1e-9)
    factors = [after / before for before, after in pairwise(race)]
    assert len(race) == 41 and max(factors) <= (49 / 51) ** 2 + 1e-9


def test_curvature_ends_a_race_in_one_step_or_in_as_many_as_dimensions():
    races = all_races(bowl(4, 10.0, 1), tuned(10.0), 60, 1e-12)
    assert len(races[NEWTON]) - 1 == 1 and 1 < len(races[CG]) - 1 <= 4 < len(races[MOMENTUM]) - 1


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


def test_of_a_linear_score_no_change_of_the_size_raises_more():
    """It rises by the size times the sum of absolute weights, and a mean by the size."""
    weights, x = torch.tensor([0.5, -2.0, 0.25]), torch.zeros(4, 3)
    moved = x + 0.1 * fooled.uphill(lambda x: x @ weights, x)
    assert (moved @ weights).tolist() == pytest.approx([0.275] * 4)
    assert (x + 0.1 * fooled.uphill(lambda x: x.mean(1), x)).mean(1).tolist() == pytest.approx([0.1] * 4)


def test_several_steps_stay_within_the_size_and_raise_a_bent_score_more_than_one():
    def score(x):  # highest where the first number is moved by half of the size, which one step passes
        return x[:, 1] - 20 * (x[:, 0] - 0.05).abs()

    x = torch.zeros(2, 2)
    there, once = fooled.by_steps(score, x, 0.1, 15), x + 0.1 * fooled.uphill(score, x)
    assert there.abs().max() <= 0.1 + 1e-6
    assert (score(there) > score(once) + 0.5).all()


def test_a_plateau_a_jump_and_a_kink_are_told_from_a_curve_that_saturates():
    epochs = np.arange(1.0, 61)
    smooth, late = 1 - np.exp(-epochs / 4), 1 / (1 + np.exp(30 - epochs))
    calm, plateau = shape(smooth, 12, 1), shape(late, 12, 1)
    assert calm["half_way"] < 5 and calm["late"] < 0.1 and plateau["half_way"] == 31 and plateau["late"] > 0.9
    jumps = np.where(epochs == 20, 0.5, smooth)
    assert shape(jumps, 12, 1)["jump"] > 0.4 and calm["jump"] == 0 and shape(-jumps, 12, -1)["jump"] > 0.4
    dropped = np.where(epochs > 30, 0.1, 0.5 + 0.01 * np.sin(9 * epochs))
    assert shape(dropped, 12, -1)["kink"] == pytest.approx(-0.4, abs=0.02)
    assert shape(dropped, 12, -1)["noise_before"] > 0.005 > shape(dropped, 12, -1)["noise_after"] == 0


# ----------------------------------------------------------------------- what chooses, what is equal where two are compared


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


def test_the_rate_is_in_proportion_to_the_batch(monkeypatch):
    tried, columns = [], ["epoch", "seconds", "validation_cost", "test_cost", "test_accuracy"]

    def run(search, at, *_):
        tried.append(at)
        return pd.DataFrame(0.0, [0], columns)

    monkeypatch.setattr(rates, "tried", run)
    rates.searches(rates.Search(batches=(5, 20), usual=(0.5, 0.0, 6, 10), levels=1), 0)
    assert [(at["batch"], at["rate"]) for at in tried[-2:]] == [(5, 0.25), (20, 1.0)]


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
