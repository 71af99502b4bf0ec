"""Guards reproduce/backbones/ensembles: several together, few curves, lessons, and what is claimed."""

import math

import pandas as pd
import pytest
import torch

from curvecast.training.batches import Batch
from reproduce.backbones.ensembles import lessons, question
from reproduce.backbones.ensembles.lessons import FiniteConfig, Lessons
from reproduce.backbones.ensembles.together import Scored, together


def scored(*densities: float) -> Scored:
    return Scored({5: torch.tensor([densities]).double().log()}, 2.0, 1, 10)


def test_several_answer_with_the_mean_of_their_densities():
    found = together([scored(0.2, 0.4), scored(0.6, 0.4)])
    assert torch.allclose(found.points[5].exp(), torch.tensor([[0.4, 0.4]]).double())
    assert (found.seconds, found.networks, found.parameters) == (4.0, 2, 20)
    assert float(found.points[5].mean()) > (math.log(0.2 * 0.4) + math.log(0.6 * 0.4)) / 4


def test_the_few_curves_are_the_same_for_all_seeds_and_bags_differ():
    whole, other = FiniteConfig(few=50), FiniteConfig(few=50, seed=1)
    assert lessons.own(whole).equal(lessons.own(other)) and lessons.own(whole).equal(torch.arange(50))
    bags = [lessons.own(FiniteConfig(few=50, seed=seed, bagged=True)) for seed in (0, 1)]
    assert not bags[0].equal(bags[1])
    assert all(20 <= len(bag.unique()) <= 42 for bag in bags)  # about 1 - 1/e of them


def test_a_step_shows_only_the_few_curves_and_asks_for_what_comes_later():
    config = FiniteConfig(few=8, batch=16)
    few = lessons.curves(config.prior, config.few_seed, 8)
    for group in config.batches(3, "cpu"):
        c = group.x.shape[1]
        assert all(any(one.equal(curve[:c]) for curve in few) for one in group.y)
        assert (group.x_query > c).all() and (group.x_query <= 100).all()
        for one, asked, value in zip(group.y, group.x_query, group.y_query, strict=True):
            curve = next(curve for curve in few if one.equal(curve[:c]))
            assert value.equal(curve[(asked - 1).long()])


def test_lessons_are_drawn_from_what_the_teachers_say():
    """Two teachers of one sure answer each: half of the draws are of the one, half of the other."""

    class Sure:
        def __init__(self, value: float):
            self.value = value

        def density(self, x, y, x_query):
            return self

        def quantile(self, level):
            return torch.full_like(level, self.value)

    config = question._plain(question.SCALES["smoke"], 4_000, 0)
    steps = Lessons(config, config.network(), [Sure(0.2), Sure(0.7)], draws=3)
    group = next(config.batches(0, "cpu"))
    said = steps.said(group)
    assert said.shape == (*group.x_query.shape, 6)
    assert said[..., :3].unique().tolist() == pytest.approx([0.2])
    assert said[..., 3:].unique().tolist() == pytest.approx([0.7])
    loss, _ = steps.gradient(Batch(*group))
    assert torch.isfinite(loss)


def rows(**ll: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"way": way.replace("_", " "), "seed": seed, "networks": 1, "parameters": 9, "seconds": 1.0, "cutoff": c,
         "ll": value + 0.001 * seed * len(way)}
        for way, value in ll.items() for seed in range(3) for c in (5, 10)
    ])  # fmt: skip


def test_claims_say_who_is_ahead():
    stated = {c.name: c for c in question.claims(rows(four_small_ones=1.2, one_large=1.0, a_small_one=1.3))}
    assert stated["four_beat_large"].value == pytest.approx(0.2, abs=0.02)
    assert stated["four_beat_large"].holds()
    assert stated["bagging_helps"].value is None
