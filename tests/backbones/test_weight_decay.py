"""Guards reproduce/backbones/weight_decay.py: what decay alone leaves is known in closed form."""

import pytest

from reproduce.backbones import weight_decay
from reproduce.backbones.weight_decay import DECAY, PENALTY, Config

FEW = Config(gradients=(0.0, 5.0), weights=400, seeds=2, steps=60)


@pytest.mark.parametrize(("optimiser", "how"), [("SGD", PENALTY), ("SGD", DECAY), ("Adam", DECAY)])
def test_what_shrinks_by_the_decay_alone_is_left_as_the_formula_says(optimiser, how):
    """(1 - lr lambda)^steps; with noise, on average."""
    left = weight_decay.shrunk(FEW, optimiser, how, 0).mean(1)
    formula = (1 - FEW.lr * FEW.decay) ** FEW.steps
    assert float(left[0]) == pytest.approx(formula, abs=1e-9)
    assert float(left[1]) == pytest.approx(formula, abs=0.1)


def test_adam_makes_a_penalty_a_step_of_its_own_rate_where_nothing_else_pulls():
    """Without any other gradient lambda w is all there is, and Adam moves by about lr whatever its size."""
    left = weight_decay.shrunk(FEW, "Adam", PENALTY, 0).mean(1)
    assert float(left[0]) == pytest.approx(1 - FEW.lr * FEW.steps, abs=0.1)
    assert float(left[1]) > 0.9
