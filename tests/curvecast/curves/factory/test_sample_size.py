"""Guards curvecast/curves/factory/sample_size.py."""

from dataclasses import replace

import numpy as np
import pytest

from curvecast.curves.factory import plan, sample_size, tasks


def test_sizes_double_every_eight_steps_up_to_all_rows():
    sizes = sample_size.sizes(119)
    assert (
        sizes[0] == 16
        and sizes[8] == 32
        and sizes[16] == 64
        and (np.diff(sizes) > 0).all()
        and sizes[-1] <= 119
    )
    assert sample_size.sizes(64)[-1] == 64


def test_each_class_is_seen_from_the_first_size_on():
    """And no row is lost or comes twice."""
    labels = tasks.split("digits", 0).y
    order = sample_size.each_class_first(labels)
    assert set(labels[order[:10]]) == set(range(10)) and sorted(order) == list(range(len(labels)))


def test_a_curve_is_the_mean_over_its_seeds():
    """Of three seeds: the mean of the three curves of one seed each, the first of which has the run's own."""
    run = plan.sizes(6, seed=0, seeds=1)[5]
    assert run.task == "wine"
    alone = [sample_size.train(replace(run, seed=run.seed + i)) for i in range(3)]
    together = sample_size.train(replace(run, settings=run.settings | {"seeds": 3}))
    assert np.allclose(together.loss, np.mean([run.loss for run in alone], 0))
    assert together.untrained is None and together.accuracy[-1] > together.accuracy[0]


@pytest.mark.parametrize("name", plan.SIZES)
def test_every_model_gives_chances(name):
    run = plan.Run("r", "sizes", "cancer", "r", 0, "rows", {"model": name, "seeds": 1}, 3)
    scores = sample_size.train(run)
    assert len(scores.steps) == 3 and np.isfinite(scores.loss).all() and (scores.accuracy > 0.5).all()
