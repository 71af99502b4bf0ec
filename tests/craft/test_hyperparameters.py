"""Guards reproduce/craft/hyperparameters.py: what is tried, on which images it is chosen, and the best of n trainings."""

from itertools import combinations

import pandas as pd
import pytest

from reproduce.craft import hyperparameters
from reproduce.craft._digits import digits
from reproduce.craft.hyperparameters import GRID, RANDOM, RANGES, Config, expected_best, settings


def test_as_many_are_tried_at_random_as_on_the_grid_and_all_within_the_ranges():
    grid, at_random = (pd.DataFrame(settings(search, 3, seed=0)) for search in (GRID, RANDOM))
    assert len(grid) == len(at_random) == 81 == len(grid.drop_duplicates())
    assert set(grid.nunique()) == {3} and at_random["rate"].nunique() == 81
    for name, (low, high) in RANGES.items():
        assert grid[name].between(low, high).all() and at_random[name].between(low, high).all()


def test_no_image_that_chooses_trains_or_tests(monkeypatch):
    seen = []
    monkeypatch.setattr(hyperparameters, "train", lambda *handed, **more: seen.extend(handed))
    at = {"rate": 2.0, "decay": 0.1, "hidden": 6, "batch": 7}
    hyperparameters.run(Config(images=60, choose=20), at, 3, seed=0)
    whole, (_, split, steps, _) = digits(0, 60), seen
    assert split.train.x.equal(whole.train.x[20:]) and split.test.x.equal(whole.test.x)
    assert (steps.epochs, steps.batch, steps.rate, steps.decay) == (3, 7, 2.0, 0.1)


def test_the_rate_is_in_proportion_to_the_batch(monkeypatch):
    tried, columns = [], ["epoch", "seconds", "validation_cost", "test_cost", "test_accuracy"]

    def run(config, at, *_):
        tried.append(at)
        return pd.DataFrame(0.0, [0], columns)

    monkeypatch.setattr(hyperparameters, "run", run)
    hyperparameters.measure(Config(batches=(5, 20), usual=(0.5, 0.0, 6, 10), levels=1), "seed-0")
    assert [(at["batch"], at["rate"]) for at in tried[-2:]] == [(5, 0.25), (20, 1.0)]


def test_the_best_of_n_is_the_mean_over_all_draws():
    some = pd.DataFrame({"validation_cost": [0.3, 0.1, 0.5, 0.2], "test_accuracy": [0.9, 0.8, 0.1, 0.7]})
    for n, found in expected_best(some).items():
        draws = [some.loc[list(places)] for places in combinations(range(4), n)]
        best = [draw.loc[draw["validation_cost"].idxmin(), "test_accuracy"] for draw in draws]
        assert found == pytest.approx(sum(best) / len(best))


def test_claims_choose_by_validation_cost_and_skip_a_seed_that_misses_the_goal():
    ends = pd.DataFrame([
        {"search": search, "seed": seed, "decay": decay, "validation_cost": cost, "test_cost": cost, "test_accuracy": right}
        for search, right in (("decays", 0.5), (GRID, 0.7), (RANDOM, 0.8)) for seed in range(3)
        for decay, cost, right in ((0.0, 0.4, 0.9), (0.1, 0.3 + seed / 100, right))
    ])  # fmt: skip
    batches = pd.DataFrame([
        {"seed": seed, "batch": batch, "seconds": seconds, "test_accuracy": 0.96 if seed < 2 or batch == 10 else 0.5}
        for seed in range(3) for batch, seconds in ((10, 0.4), (100, 0.1), (100, 0.2))
    ])  # fmt: skip
    found = hyperparameters.claims({"ends": ends, "batches": batches}, Config())
    assert [claim.value for claim in found] == pytest.approx([0.09, 4, 0.1])
