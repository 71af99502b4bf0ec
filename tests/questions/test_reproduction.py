"""Guards ideas of the chapter Reproduction that have a right answer; programs which are timed do what rows say, and the
reference package is asked as it must be, whose times `make bench` takes."""

import math
import sys
from pathlib import Path

import emcee
import numpy as np
import pandas as pd
import pytest
import scipy.stats
import torch

from curvecast.curves import prior
from curvecast.curves.prior import Noise
from curvecast.exact_bayes import exact, mcmc, moves, posterior
from curvecast.exact_bayes import mcmc as ensemble
from curvecast.ground.errors import UserError
from presswork import Claim
from presswork.estimates import Estimates, there, those_of
from reproduce.printed.numbers import HALF, log_likelihood
from reproduce.reproduction import accuracy, grid, speed
from reproduce.reproduction._grid_cells import CURVES, GRID, Cell
from reproduce.reproduction._lines import slope
from reproduce.reproduction._printed_scores import CUTOFFS
from reproduce.reproduction.mcmc import emcee_chains
from reproduce.reproduction.printed_numbers import standard_errors
from reproduce.rival import partner
from reproduce.rival.partner import Rival
from tests.curvecast.generators import generator

PRIOR = prior.PriorConfig()


def test_one_point_and_all_points_have_the_same_density():
    """The function of one theta and the density of many agree where it is positive and where it is zero."""
    curves = prior.sample(PRIOR, 1, generator(1))
    y = curves.noisy[:, :12]
    theta = mcmc.ball(PRIOR, y, 40, generator(2), radius=0.02)[0].double()
    theta = torch.cat([theta, theta + 0.3 * torch.randn(theta.shape, generator=generator(3)).double()])
    density = emcee_chains.Density(y[0].double().numpy())
    with np.errstate(over="ignore"):
        one_by_one = torch.tensor([density(point) for point in theta.numpy()], dtype=torch.float64)
    at_once = posterior.log_posterior(PRIOR, theta[None], y.double())[0]
    assert torch.isfinite(at_once).sum() > 40 and torch.isinf(at_once).any()
    assert torch.allclose(one_by_one, at_once, rtol=1e-9)


@pytest.mark.slow
def test_both_programs_leave_the_same_posterior_as_it_is():
    """Three points were seen, so a bank knows the posterior: begun there, both chains stay, in each quartile of three epochs.

    Begun at least squares they would take tens of thousands of steps to get there, which is a finding and not a test."""
    y, draw = torch.tensor([[0.50, 0.66, 0.60]]), generator(1)
    bank, noise = exact.bank(PRIOR, 200_000, draw), Noise(PRIOR, 3)
    squares = (bank.f[None, :, :3] - y[:, None]).square().sum(2)
    pick = exact.resample(noise.log_likelihood(squares), 400, draw)[0][torch.randperm(400, generator=draw)]
    points = torch.cat([bank.theta[pick], noise.draw(squares[0, pick], draw).log()[:, None]], 1)
    sampler = emcee.EnsembleSampler(400, 13, emcee_chains.Density(y[0].double().numpy()))
    with np.errstate(all="ignore"):
        sampler.run_mcmc(
            emcee.State(points.double().numpy(), random_state=np.random.RandomState(0).get_state()), 250
        )
    chain = ensemble.ensemble(
        lambda theta: posterior.log_density(PRIOR, theta, y), points[None], 250, draw, thin=25,
        rule=lambda theta: posterior.allowed(PRIOR, theta),
    )  # fmt: skip
    epochs = [3, 29, 99]
    known = bank.f[exact.resample(noise.log_likelihood(squares), 4000, draw)[0]][:, epochs]
    spread = known.quantile(0.75, 0) - known.quantile(0.25, 0)
    after = torch.from_numpy(sampler.get_chain()[24::25]).float().flatten(0, 1), chain.theta.flatten(0, 2)
    for theta in after:
        f = moves.clean(PRIOR, theta[:, :-1], torch.tensor(epochs) + 1.0)
        for level in (0.25, 0.5, 0.75):
            assert ((f.quantile(level, 0) - known.quantile(level, 0)).abs() < 0.2 * spread).all()


def test_a_slope_is_as_uncertain_as_its_trainings_scatter():
    """Beside scipy's standard error of a slope, where test curves add nothing; and wider by what they add."""
    x, y = np.arange(5.0), np.array([0.0, 1.2, 1.9, 3.3, 3.8])
    fit = scipy.stats.linregress(x, y)
    alone, both = slope(x, np.stack([y] * 9)), slope(x, np.stack([y, *([y - 0.5 * x, y + 0.5 * x] * 4)]))
    assert alone == pytest.approx(
        (fit.slope, *(fit.slope + s * 3.182 * fit.stderr for s in (-1, 1))), rel=1e-3
    )
    assert both.half == pytest.approx(math.hypot(alone.half, 0.5), rel=1e-3)


def test_the_normaliser_keeps_the_middle_only_with_the_right_middle():
    """The consistent b sends the middle of any range to one half, the printed one only if l = -u."""
    for low, high in standard_errors.SOFT:
        middle = (low + high) / 2
        printed = standard_errors.normalised(middle, low, high, -(high + low) / (high - low))
        assert standard_errors.normalised(middle, low, high, middle) == pytest.approx(0.5)
        assert (printed == pytest.approx(0.5)) == (low == -high)


# `speed` is run by `make bench` alone: here nothing is timed.
Y = prior.test_set(3).noisy[:, :10].clamp(0, 1).double().numpy()


@pytest.mark.parametrize(("turn", "given"), [
    (lambda: speed.each_alone(Y), Y), (lambda: speed.in_one_call(Y), [Y]),
], ids=["one by one", "at once"])  # fmt: skip
def test_our_turns_forecast_what_they_are_given(turn, given, monkeypatch):
    """One curve after another or all in one call, as far as the other program."""
    asked, real = [], speed.forecast
    monkeypatch.setattr(speed, "forecast", lambda y, **how: asked.append((y, how)) or real(y, **how))
    assert turn() > 0
    assert np.array_equal([y for y, _ in asked], given)
    assert all(how["horizon"] == 100 for _, how in asked)


NEAR = dict.fromkeys(CUTOFFS, (-0.01, 0.002))


def as_printed(method: str, printed: str, leads: dict[int, tuple[float, float]], luck: float = 0.0):
    """The claim about rows in which a method lies (lead, standard error) away from what is printed."""
    rows = [
        {"method": method, "cutoff": c, "ll_even": log_likelihood(printed, c) + lead, "ll_even_se": se, "ll_se": luck,
         "n": 10_000}
        for c, (lead, se) in leads.items()
    ]  # fmt: skip
    found = there(accuracy.farthest_from_printed(pd.DataFrame(rows)))
    (claim,) = (one for claim in accuracy.trained_as_printed() if (one := claim.looked_up(found)).tested())
    return claim


def test_the_largest_gap_counts_on_either_side():
    """Reproduced means near: too good is as far off as too bad; a wide interval or the luck of curves leaves it open."""
    near = as_printed("P1", "P1", NEAR)
    assert near.name == "reproduces_p1" and near.value == pytest.approx(0.01) and near.holds() is True
    for far in (0.05, -0.05):
        assert as_printed("P1", "P1", NEAR | {20: (far, 0.002)}).holds() is False
    assert as_printed("P1", "P1", NEAR | {10: (-0.01, 0.015)}).holds() is None
    assert as_printed("P1", "P1", NEAR, luck=0.02).holds() is None


NOISE = np.random.default_rng(0).normal(size=2000)


def trained_anew(scores: dict[tuple[Cell, int | str], float]) -> dict[str, pd.DataFrame]:
    """Trainings by cell and seed; each curve scores its level, noise that all share, and little of its own."""
    rows, each = [], []
    for number, ((cell, seed), level) in enumerate(scores.items()):
        name = seed if isinstance(seed, str) else cell.part(seed)
        own = np.random.default_rng(number + 1).normal(size=len(NOISE))
        lls = level + NOISE + 0.1 * (own - own.mean())
        each.append(pd.DataFrame({f"at{c}": lls for c in CUTOFFS}).assign(part=name))
        about = {**cell._asdict(), "seed": seed, "method": name, "n": 10_000, "parameters": 9}
        about |= {"ll_even": level, "ll_even_se": 0.001, "ll_se": 0.01}
        rows += [about | {"cutoff": c} for c in CUTOFFS]
    return {"rows": pd.DataFrame(rows), "each": pd.concat(each)}


def order(levels: dict[Cell, float], step: str, luck: float = 0.001) -> Claim:
    """The claim about pairs of these cells, each trained with two seeds that lie so far apart."""
    several = [(cell, n, seed) for n, cell in enumerate(levels) for seed in (0, 1)]
    scores = {(cell, seed): levels[cell] + luck * ((n + seed) % 2) for cell, n, seed in several}
    found = grid.estimates(trained_anew(scores))
    (claim,) = [one for one in grid.claims(found) if one.name == grid.CLAIMS[step]]
    return claim.looked_up(found)


def test_order_holds_fails_or_is_open_as_the_pairs_are_sure():
    """A pair counts as ordered only if its interval says so, as reversed only if it says that; three pairs are the fewest."""

    def more_is_better(few: float, many: float, sizes: int = 3, luck: float = 0.001):
        levels = dict.fromkeys(GRID[:sizes], few) | {cell.longer()[0]: many for cell in GRID[:sizes]}
        return order(levels, "more", luck)

    assert more_is_better(1.0, 1.5).holds() is True
    assert more_is_better(1.5, 1.0).holds() is False
    unsure = more_is_better(1.0, 1.001, luck=1.0)
    assert unsure.found[1:] == (0, 1) and unsure.holds() is None
    for sizes, said in (
        (2, "2 pairs of networks, compared 8 times"),
        (1, "1 pair of networks, compared 4 times"),
    ):
        some = more_is_better(1.0, 1.5, sizes)
        assert some.value == 1 and not some.tested() and f"(here {said})" in some.asks


def test_neighbours_are_one_step_apart_in_one_thing():
    """Of four corners of a square of sizes there are four pairs; two steps, or five times the curves, are not a step."""
    square = {Cell(layers, width, CURVES[0]): 1.0 for layers in (3, 6) for width in (128, 256)}
    assert "4 pairs of networks, compared 16 times" in order(square, "bigger").asks
    assert order(square, "more").value is None
    assert order({GRID[0]: 1.0, GRID[2]: 2.0}, "bigger").value is None
    assert order({Cell(3, 128, 500_000): 1.0, Cell(3, 128, CURVES[1]): 2.0}, "more").value is None


SMALL_CELL, DEEPER = GRID[0], GRID[0]._replace(layers=6)


def leads_of(below: dict[int, float], above: dict[int, float], larger: Cell = DEEPER) -> Estimates:
    """Of one pair, by seed; its leads by cutoff."""
    scores = {(SMALL_CELL, seed): level for seed, level in below.items()}
    scores |= {(larger, seed): level for seed, level in above.items()}
    found = grid.estimates(trained_anew(scores))
    return {key[-1]: one for key, one in those_of(found, "bigger").items()}


@pytest.mark.parametrize("size", [{"layers": 6}, {"width": 256}])
def test_leads_are_as_sure_as_seeds_of_each_network_allow(size):
    """By Student's test for networks of one width, by Welch's for two widths; each comparison is corrected for all."""
    below, above = {0: 1.0, 1: 1.2, 2: 1.1}, {0: 1.04, 1: 1.58, 2: 1.11}
    test = scipy.stats.ttest_ind([*above.values()], [*below.values()], equal_var="layers" in size)
    low, high = test.confidence_interval(1 - 0.05 / len(CUTOFFS))
    for one in leads_of(below, above, SMALL_CELL._replace(**size)).values():
        assert one.value == pytest.approx((low + high) / 2) and one.rivals == len(CUTOFFS)
        assert low - 0.01 < one.low < low and high < one.high < high + 0.01  # the test curves add a little
        assert one.over == (("seeds", 3), ("curves", 2000))
    assert grid.Luck(0.0, 2, 6).widened(one, 3, among=4).half == pytest.approx(one.wider(4).half)


def test_the_luck_of_one_network_is_that_of_all_seeds_and_half_precision_is_beside_them():
    """Two cells whose scores go up and down together, by 2; the training in single precision is none of the seeds."""
    scores = {(cell, seed): 1.0 + 2 * seed for cell in (SMALL_CELL, DEEPER) for seed in range(3)}
    found = grid.estimates(trained_anew(scores | {(SMALL_CELL, next(iter(grid.SINGLE))): 0.9}))
    luck, cell = found["of a seed", 128, 10], found[SMALL_CELL, 10]
    assert luck[:2] == pytest.approx((2, 2 * math.sqrt(4 / 11.143)), rel=1e-3)
    assert luck.over == (("trainings", 6),) and cell.over == (("seeds", 3), ("curves", 10_000))
    assert (cell.value, cell.half) == pytest.approx((3, 2.776 * 2 / math.sqrt(3)), rel=1e-3)
    assert found[grid.PRECISION, *SMALL_CELL[:2], 10].value == pytest.approx(0.1)
    below, theirs = found["below print", *SMALL_CELL, 10], 1.96 * math.hypot(0.01, SMALL_CELL.read_error)
    assert below.value == pytest.approx(SMALL_CELL.printed(10) - 3)
    assert below.half == pytest.approx(math.hypot(cell.half, theirs) + HALF, rel=1e-3)
    assert found["as_printed"].value == pytest.approx(5 - SMALL_CELL.printed(10))  # of the worst seed
    assert found["a seed below print", *SMALL_CELL, 10, 1].value == pytest.approx(SMALL_CELL.printed(10) - 3)
    single = {(SMALL_CELL, next(iter(grid.SINGLE))): -1.0}
    alike = grid.estimates(trained_anew({(SMALL_CELL, 0): 0.0, (SMALL_CELL, 1): 0.0} | single))
    assert alike[SMALL_CELL, 10].half == pytest.approx(1.96e-3)  # of the test curves alone
    assert alike["as_printed"].value == SMALL_CELL.printed(10) + 1  # in single precision too


def test_one_seed_counts_as_far_as_seeds_of_other_cells_lie_apart():
    """A pair of one seed has an interval √3 as wide as one of three; without a second seed anywhere, nothing is compared."""
    deepest = GRID[0]._replace(layers=12)
    three = {(SMALL_CELL, seed): 1.0 for seed in range(3)} | {
        (DEEPER, seed): 1.1 + 0.1 * seed for seed in range(3)
    }
    found = grid.estimates(trained_anew(three | {(deepest, 0): 2.0}))
    several, alone = (found["bigger", *pair, 10] for pair in ((SMALL_CELL, DEEPER), (DEEPER, deepest)))
    assert alone.half == pytest.approx(3**0.5 * several.half, rel=0.01)
    assert not leads_of({0: 1.0}, {0: 1.1})


def test_a_seed_that_only_one_of_both_has_is_left_out():
    apart = leads_of({0: 1.0, 1: 5.0, 2: 1.0}, {0: 1.1, 2: 1.1, 3: -5.0})
    assert all(one.value == pytest.approx(0.1) for one in apart.values())


def test_width_against_depth_is_asked_of_pairs_that_did_not_suggest_it():
    """And late in a curve; the smallest lead counts, and each interval is corrected once."""
    deep, wide, widest = (Cell(*size, CURVES[0]) for size in ((12, 128), (6, 256), (3, 512)))

    def claim(*seeds: int, sign: int = 1):
        rows = trained_anew(
            {(cell, n): sign * level + 1e-4 * n for cell, level in cells.items() for n in seeds}
        )
        rows["each"].loc[rows["each"]["part"].str.startswith("6x256"), "at10"] -= 5  # early it may be behind
        found = grid.estimates(rows)
        (one,) = [one for one in grid.claims(found) if one.name == "width_beats_depth"]
        return one.looked_up(found)

    cells = {DEEPER: 1.0, grid.SEEN_ON: 1.1, deep: 1.0, wide: 1.3, widest: 2.0}
    found = claim(0, 1)
    assert found.value == pytest.approx(0.3) and found.holds() is True and "(so far 2)" in found.asks
    assert found.found.over == (("seeds", 2), ("curves", 2000))
    assert claim(0, 1, sign=-1).holds() is False
    cells = {deep: 1.0, wide: 1.3}
    assert "(so far 1)" in claim(0, 1).asks
    assert claim(0).value is None  # without a second seed anywhere nobody knows how far seeds lie apart


@pytest.mark.parametrize(("deepest", "counted"), [(0.5, [3, 12, 8, 4]), (3.0, [3, 12, 12, 8])])
def test_it_is_counted_what_is_compared_ahead_and_clear(deepest, counted):
    """Of three pairs a wider one is clearly ahead, a deeper one perhaps, and the other deeper one behind, or clearly ahead;
    twelve layers face three of twice the width."""
    deep = Cell(12, 128, CURVES[0])
    levels = {SMALL_CELL: 1.0, DEEPER: 1.01, grid.SEEN_ON: 2.0, deep: deepest}
    noisy = [
        (cell, seed, level + 0.02 * ((n + seed) % 2))
        for n, (cell, level) in enumerate(levels.items())
        for seed in (0, 1)
    ]
    found = grid.estimates(trained_anew({(cell, seed): level for cell, seed, level in noisy}))
    assert [found[what, "bigger"].value for what in ("pairs", "compared", "ahead", "clear")] == counted
    assert list(those_of(found, "equal")) == [(deep, grid.SEEN_ON, cutoff) for cutoff in CUTOFFS]


def test_of_a_pair_with_one_seed_trainings_of_networks_with_several_are_counted():
    """They say how far seeds lie apart; one of a kind does not."""
    deepest = GRID[0]._replace(layers=12)
    scores = {
        (SMALL_CELL, 0): 1.0,
        (SMALL_CELL, 1): 1.02,
        (DEEPER, 0): 1.1,
        (DEEPER, 1): 1.12,
        (deepest, 0): 1.2,
    }
    found = grid.estimates(trained_anew(scores))
    assert found["bigger", DEEPER, deepest, 10].over == (("trainings", 4), ("curves", 2000))
    assert found["bigger", SMALL_CELL, DEEPER, 10].over == (("seeds", 2), ("curves", 2000))


STUB = """
import json, sys
print("a lot of talk", file=sys.stderr)
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "fail":
        sys.exit("it broke")
    print(json.dumps(request), flush=True)
"""


@pytest.fixture
def stub(tmp_path, monkeypatch):
    """A program that answers each request with the request itself."""
    path = tmp_path / "stub.py"
    path.write_text(STUB)
    monkeypatch.setattr(partner, "PACKAGE", (str(path),))
    return Path(sys.executable)


def test_without_the_reference_one_sentence_says_what_to_do(tmp_path):
    """The environment of the reference is made by make bench."""
    with pytest.raises(UserError, match=r"not installed .* run `make bench`"):
        Rival(1, python=tmp_path / "python")


@pytest.mark.slow
def test_the_rival_answers_line_by_line(stub):
    with Rival(1, python=stub) as rival:
        assert rival.versions == {"do": "hello", "threads": 1}
        assert rival.ask("prior", curves=3) == {"do": "prior", "curves": 3}


@pytest.mark.slow
def test_a_rival_that_dies_is_reported_with_its_last_words(stub):
    """No hang and no traceback: a UserError with what it said last."""
    with Rival(1, python=stub) as rival, pytest.raises(UserError, match=r"status 1 .*it broke"):
        rival.ask("fail")
    assert rival.process.returncode is not None
