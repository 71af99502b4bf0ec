"""Guards curvecast/training/batches.py: fresh curves, queries that lie ahead, configs that make sense."""

from dataclasses import replace

import pytest
import torch

from curvecast.curves.prior import PriorConfig
from curvecast.ground.config import plain
from curvecast.ground.errors import UserError
from curvecast.training import batches
from curvecast.training.batches import TrainConfig
from tests.curvecast.training.small import SMALL

PAPER = replace(TrainConfig.paper(128, 1, 3000), prior=SMALL.prior, batch=10)


def test_every_step_sees_new_curves():
    """No curve comes twice, across steps and chunks."""
    seen = torch.cat([batches.curves(SMALL, step, "cpu") for step in (0, 1, 255, 256, 257, 600)])
    assert len(seen.unique(dim=0)) == len(seen) == 6 * 16
    assert not torch.equal(batches.curves(SMALL, 0, "cpu"), batches.curves(replace(SMALL, seed=1), 0, "cpu"))


@pytest.mark.parametrize("config", [SMALL, replace(SMALL, cutoffs=16), PAPER], ids=["groups", "own", "paper"])
def test_queries_lie_after_the_cutoff(config):
    """A query's epoch is later than every visible point, its target is that epoch's value; all cutoffs occur."""
    cutoffs = set()
    for step in range(200):
        y = batches.curves(config, step, "cpu")
        place = 0
        for b in batches.batches(config, step, "cpu"):
            last = b.x.amax(1) if b.mask is None else torch.where(b.mask, b.x, 0).amax(1)
            cutoffs |= set(last.int().tolist())
            assert (b.x_query > last[:, None]).all() and (b.x_query <= 20).all()
            rows = y[place : place + len(b.y)]
            assert torch.equal(rows.gather(1, b.x_query.long() - 1), b.y_query)
            assert torch.equal(rows[:, : b.y.shape[1]], b.y)
            place += len(b.y)
        assert place == config.batch
    assert cutoffs == set(range(1, 20))


def test_the_paper_asks_for_all_that_is_left():
    """queries=0: each later epoch once."""
    batch = next(batches.batches(PAPER, 3, "cpu"))
    assert batch.x.shape[1] + batch.x_query.shape[1] == 20
    assert torch.equal(batch.x_query[0], torch.arange(batch.x.shape[1] + 1.0, 21))


def test_curves_of_a_generator_are_as_before():
    """The default keeps older names and hashes."""
    assert "draws" not in plain(SMALL) and plain(replace(SMALL, draws="number"))["draws"] == "number"


def test_early_shows_short_beginnings_more_often():
    """A power of two: half of the beginnings hold a quarter of the curve or less, and the longest still occur."""
    config = replace(SMALL, prior=PriorConfig(), early=2.0, queries=1)
    seen = [b.x.shape[1] for step in range(200) for b in batches.batches(config, step, "cpu")]
    assert 0.4 < sum(T <= 25 for T in seen) / len(seen) < 0.6
    assert min(seen) == 1 and max(seen) > 90


@pytest.mark.parametrize(
    "bad",
    [
        {"cutoffs": 5}, {"cutoffs": 0}, {"schedule": "daily"}, {"precision": "fp8"}, {"curves": 3}, {"draws": "dice"},
        {"stock": 8}, {"stock": 64, "cutoffs": 16}, {"stock": 64, "prior": PriorConfig(length=20, real=0.5)},
        {"stock": 64, "draws": "number", "prior": PriorConfig(length=20, real=1.0)}, {"early": 0.0},
    ],
)  # fmt: skip
def test_a_training_that_cannot_be_is_refused(bad):
    """The message says what to choose."""
    with pytest.raises(UserError):
        batches.check(replace(SMALL, **bad))
