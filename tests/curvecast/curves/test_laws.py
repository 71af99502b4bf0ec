"""Guards curvecast/curves/laws but for real_runs.py: each part of a real run follows the law that is stated for it."""

import numpy as np
import pytest
import torch

from curvecast.curves.laws import growth, noise, rates
from curvecast.curves.laws.growth import Dice
from curvecast.curves.prior import PriorConfig

N = 6000
X = torch.arange(1.0, 101, dtype=torch.float64)[None]
PLAIN = ("tails", "memory", "falling noise")


def dice(n=N) -> Dice:
    return Dice(n, np.random.default_rng(0))


def share(of: torch.Tensor) -> float:
    return of.double().mean().item()


def memory(z: torch.Tensor, dim: int | None = None) -> torch.Tensor:
    """The correlation with the epoch before."""
    return (z[:, 1:] * z[:, :-1]).mean(dim) / z.square().mean(dim)


def test_dice_have_the_laws_that_they_are_named_after():
    """Each power of ten is as likely; what happens with a chance of 0.2 does so in that share."""
    drawn = dice(40_000).log_uniform(1, 100)
    assert drawn.shape == (40_000, 1) and drawn.min() > 0.9999 and drawn.max() < 100.01
    assert share(drawn < 10) == pytest.approx(0.5, abs=0.0125)
    ones, zeros = torch.ones(40_000, 1), torch.zeros(40_000, 1)
    assert share(dice(40_000).happens(0.2)) == pytest.approx(0.2, abs=0.01)
    assert share(dice(40_000).one_of(0.2, ones, zeros)) == pytest.approx(0.2, abs=0.01)
    assert not dice().happens(0.0).any() and dice().happens(1.0).all()


@pytest.mark.parametrize("shape", growth.SHAPES, ids=lambda shape: shape.__name__)
def test_a_shape_rises_from_0_and_stays_within_1(shape):
    drawn = dice()
    grown = shape(X - 1, drawn.log_uniform(*growth.HALF_TIME), drawn.normal(0, 0.6).exp())
    assert grown[:, 0].max() < 1e-7 and (grown[:, -1] > 0).all()
    assert (grown.diff(dim=1) >= 0).all() and grown.max() <= 1 + 1e-12


@pytest.mark.parametrize("shape", [growth.exponential, growth.janoschek, growth.hill, growth.logistic])
def test_half_of_it_is_there_at_the_half_time(shape):
    """Whatever the sharpness; the logistic curve starts at 0, and so it is there up to 2 % later."""
    half, sharp = torch.full((20, 1), 30.0), torch.linspace(0.5, 3, 20)[:, None]
    grown = shape(torch.tensor([[30.0]]), half, sharp)
    assert (grown - 0.5).abs().max() < (0.07 if shape is growth.logistic else 1e-6)


def test_shapes_without_an_end_come_to_1_where_it_is_stated_and_some_runs_grow_twice():
    half, sharp, one = torch.full((20, 1), 30.0), torch.linspace(0.5, 3, 20)[:, None], torch.ones(20, 1)
    assert torch.allclose(growth.still_going(X[:, -1:].float() - 1, half, sharp), one)
    assert torch.allclose(growth.logarithm(torch.tensor([[growth.SOFT]]), half, sharp), one)
    steeper = torch.cat([torch.zeros(N, 1), growth.growth(X, dice()).diff(dim=1)], 1).diff(dim=1) < -1e-6
    humps = (steeper[:, 1:] & ~steeper[:, :-1]).sum(1)  # of a single shape at most one
    assert 0.05 < share(humps > 1) < 0.5


def test_what_is_late_is_exactly_0_until_it_takes_off():
    """Nothing at the first two epochs, then it rises to 1, in no two runs at the same time."""
    grown = growth.late(X, dice())
    waits = (grown == 0).sum(1)
    assert waits.min() >= 2 and len(waits.unique()) > 50
    assert (grown.diff(dim=1) >= 0).all() and grown.max() <= 1
    assert torch.equal(grown == 0, waits[:, None] >= X)


def scheduled(without=()):
    same = dice()
    gain = growth.growth(X, same)
    return gain, rates.scheduled(gain, X, without, same)


def test_a_schedule_only_gains_and_only_calms_the_noise():
    gain, after = scheduled()
    assert (after.gain >= gain).all() and after.gain.max() <= rates.BEYOND + 1e-12
    assert (after.missing <= 1).all() and (after.missing >= 0).all()
    assert (after.missing.diff(dim=1) <= 1e-12).all()
    assert after.calm.max() == 1 and (after.calm.diff(dim=1) <= 1e-12).all() and after.calm.min() > 0


def test_what_is_missing_counts_to_one_end_or_to_the_other():
    """To the run's own final value or to the best one, never to both; to the latter in the stated share."""
    gain, after = scheduled()
    own, best = (after.gain > gain + 1e-12).any(1), (after.missing < 1).any(1)
    assert not (own & best).any() and own.any()
    assert share(best[(after.calm < 1).any(1)]) == pytest.approx(rates.TO_THE_BEST, abs=0.05)


@pytest.mark.parametrize(("kept", "chance"), [("anneal", rates.ANNEALED), ("steps", rates.STEPS)])
def test_each_event_comes_as_often_as_is_stated(kept, chance):
    """An annealed end once, a step at two chances; a step is sudden and stays."""
    calm = scheduled(tuple({"anneal", "steps"} - {kept}))[1].calm
    expected = chance if kept == "anneal" else 1 - (1 - chance) ** 2
    assert share((calm < 1).any(1)) == pytest.approx(expected, abs=0.035)
    assert kept == "anneal" or (calm.diff(dim=1) != 0).sum(1).max() == 2


def noise_of(without=PLAIN, calm=1.0):
    """In units of its initial scale, and that scale."""
    e, size = noise.noise(X, torch.full((N, 100), calm, dtype=torch.float64), without, dice())
    return e / size, size


def test_what_is_no_quiet_run_has_the_noise_of_the_paper(monkeypatch):
    """ln size ~ N(-4, 1) as in PriorConfig, and the quiet ones lie below it, in the stated share."""
    config, sizes, stated = PriorConfig(), {}, noise.QUIET
    for quiet in (0.0, 1.0, stated):
        monkeypatch.setattr(noise, "QUIET", quiet)
        sizes[quiet] = noise_of()[1].log()
    paper, low, both = (one.mean() for one in sizes.values())
    assert abs(paper - config.log_sigma_mean) < 0.07 and abs(sizes[0.0].std() - config.log_sigma_sd) < 0.05
    assert low < paper and abs(both - stated * low - (1 - stated) * paper) < 0.1


def test_plain_noise_is_white_and_has_the_stated_size():
    z, _ = noise_of()
    assert abs(z.mean()) < 0.01 and abs(z.std() - 1) < 0.01 and abs((z**4).mean() - 3) < 0.1
    assert abs(memory(z)) < 0.01
    assert abs(noise_of(calm=0.3)[0].std() - 0.3) < 0.003


def test_some_runs_remember_and_their_noise_keeps_its_size():
    """The correlations of single runs lie around 0 for the stated share, and far above for many others."""
    z, _ = noise_of(("tails", "falling noise"))
    own = memory(z, 1)
    forgets = 2 * share(own < 0)  # of white noise half lies below 0
    assert abs(forgets - (1 - noise.REMEMBERS)) < 0.1 and share(own > 0.6) > 0.1
    assert torch.equal(z[:, 0], noise_of()[0][:, 0]) and (z.std(0) - 1).abs().max() < 0.06


def test_tails_are_heavy_in_the_stated_share():
    """Student's t has extreme values that a normal law practically never has; its typical size is no larger."""
    plain, heavy = noise_of()[0], noise_of(("memory", "falling noise"))[0]
    assert plain.abs().max() < 6 and heavy.abs().max() > 6
    changed = (plain != heavy).any(1)
    assert share(changed) == pytest.approx(noise.HEAVY, abs=0.03)
    assert heavy[changed].abs().median() < plain.abs().median() * 1.05


def test_noise_falls_in_the_stated_share_and_never_grows():
    """Against the same draw without the fall: a power of time, 1 at the first epoch."""
    ratio = noise_of(("tails", "memory"))[0] / noise_of()[0]
    assert (ratio[:, 0] - 1).abs().max() < 1e-9 and ratio.max() < 1 + 1e-9
    assert share(ratio[:, -1] < 1 - 1e-9) == pytest.approx(noise.FALLS, abs=0.04)
    assert torch.allclose(ratio[:, 9].log() * 2, ratio[:, 99].log(), atol=1e-9)


def test_wiggles_start_at_0_grow_with_the_gain_and_are_slow_in_the_logarithm_of_time():
    wiggles = noise.wiggles(X, torch.linspace(0, 1, N, dtype=torch.float64)[:, None], dice())
    assert (wiggles[:, 0] == 0).all()
    assert share((wiggles != 0).any(1)) == pytest.approx(noise.WIGGLES, abs=0.03)
    sizes, steps = wiggles.abs().mean(1), wiggles.diff(dim=1).abs()
    assert sizes[-N // 4 :].mean() > 3 * sizes[: N // 4].mean()
    assert steps[:, -10:].mean() < 0.2 * steps[:, :5].mean()


def test_turns_come_in_their_share_and_go_both_ways():
    """None starts at the first epoch, and each is monotone."""
    added = growth.turned(torch.zeros(N, 100, dtype=torch.float64), X, dice())
    there = added[:, -1] != 0
    assert (added[:, 0] == 0).all()
    assert share(there) == pytest.approx(growth.TURNS, abs=0.03)
    assert share(added[there, -1] > 0) == pytest.approx(growth.UPWARDS, abs=0.06)
    assert (added.diff(dim=1) * added[:, -1:].sign() >= 0).all()


def collapsed(x, monkeypatch, chance=1.0):
    monkeypatch.setattr(growth, "COLLAPSES", chance)
    y = torch.full((N, x.shape[1]), 0.9, dtype=torch.float64)
    return growth.collapsed(y, torch.tensor(0.1, dtype=torch.float64), x, dice())


def test_a_collapsed_run_is_at_its_low_right_after(monkeypatch):
    """Whether it will recover or not; before, it is unchanged."""
    run = collapsed(torch.arange(1.0, 3, 0.0005, dtype=torch.float64)[None], monkeypatch)
    fell = (run < 0.5).any(1)
    first = (run[fell] < 0.5).double().argmax(1, keepdim=True)
    assert fell.sum() > 500 and (run[~fell] == 0.9).all()
    assert (run[fell].gather(1, first) - 0.1).abs().max() < 1e-3
    assert (run[fell].gather(1, first - 1) == 0.9).all()


def test_about_half_of_the_collapses_recover(monkeypatch):
    """Those never exceed their former value; the others stay at the low."""
    run = collapsed(X, monkeypatch)
    stays = share(run[run[:, 60] < 0.9, -1] == 0.1)
    assert 1 - stays == pytest.approx(growth.RECOVERS, abs=0.05)
    assert run.max() <= 0.9 and run.min() >= 0.1


@pytest.mark.parametrize("chance", [0.0, growth.COLLAPSES])
def test_collapses_are_as_rare_as_is_stated(chance, monkeypatch):
    assert chance - 0.015 < share((collapsed(X, monkeypatch, chance) != 0.9).any(1)) <= chance + 0.01
