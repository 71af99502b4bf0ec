"""Guards reproduce/craft/steppers: bowls whose shape is known, races whose length theory knows, and the choice of a rate."""

import math
from itertools import pairwise

import pandas as pd
import pytest
import torch

from reproduce.craft.steppers import question
from reproduce.craft.steppers.bowl import CG, NEWTON, adaptive, all_races, bowl, by_gradients, tuned
from reproduce.craft.steppers.methods import DESCENT, MOMENTUM, best, last_cost

SMOKE = question.SCALES["smoke"]


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


def test_decay_keeps_adamw_away_from_a_lowest_point_that_is_not_zero():
    on = bowl(4, 10.0, 1)
    made = adaptive((0.1,), on, 9, 1e-9)
    left = {name: by_gradients(on, *made[name], 400, 1e-9)[-1] for name in made}
    assert left["Adam"] < left["AdamW"]


def test_the_best_rate_is_that_of_the_least_mean_loss_and_a_run_that_diverged_rules_it_out():
    ends = {0.1: (0.4, 0.4), 0.3: (0.1, 0.9), 1.0: (0.1, math.nan)}
    runs = {rate: [pd.DataFrame({"cost": [2.3, end]}) for end in both] for rate, both in ends.items()}
    assert best({rate: last_cost(some) for rate, some in runs.items()}) == 0.1


def test_a_goal_that_one_bowl_misses_is_no_yes():
    rows = question.measure(SMOKE, "bowl") | question.measure(SMOKE, "Adam")
    assert question.claims(rows, SMOKE)[2].holds()
    needed = rows["needed"]
    needed.loc[(needed["method"] == NEWTON) & (needed["seed"] == 1), "steps"] = math.nan
    assert question.claims(rows, SMOKE)[2].holds() is False
