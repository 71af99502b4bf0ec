"""Guards ideas of the chapters on curves as language, on latent curves and on limits that have a right answer."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch.nn.functional import one_hot

from curvecast.curves import prior
from curvecast.networks.bars import Bars
from curvecast.training.train import Forecaster
from reproduce.language.language_models import question, tails
from reproduce.language.language_models.trained import PFN, next_points, rows_of
from reproduce.latent_curves._curves import batches, training_curves
from reproduce.limits import limits

SMALL = question.SCALES["smoke"].trainings
VOCABULARY = SMALL.vocabulary()


def untrained(name: str) -> Forecaster:
    config = SMALL.config(name, 0)
    return Forecaster(config, config.network().eval(), [])


@torch.no_grad()
@pytest.mark.parametrize("name", ["LSTM", PFN])
def test_a_later_point_is_scored_with_all_before_it(name):
    """Both ways of reading, one pass and a pass for each beginning, do not see the point itself or later ones."""
    net, y = untrained(name), torch.rand(2, 12)
    whole = next_points(net, y)
    assert torch.allclose(next_points(net, y[:, :8]), whole[:, :8], atol=1e-4, equal_nan=True)
    changed = y.clone()
    changed[:, 3] += 0.3
    assert not torch.allclose(next_points(net, changed)[:, 4:], whole[:, 4:], atol=1e-4)
    assert np.isfinite(rows_of(whole, VOCABULARY, y)["ll"].iloc[0])


def test_futures_of_a_pfn_read_what_was_drawn_and_leave_out_rare_words():
    """A density that repeats the last value read wanders off a beginning only if epochs are drawn together."""

    class Last:
        borders = VOCABULARY.borders

        def __call__(self, x, y, later):  # nine tenths on the last word, the rest on the one above
            last = VOCABULARY.words(y[:, -1:]).expand(later.shape)
            p = 0.9 * one_hot(last, 16) + 0.1 * one_hot((last + 1).clamp(max=15), 16)
            return p.clamp(min=1e-9).log()

    def steps(rare: float, together: bool) -> torch.Tensor:
        seen, chance = VOCABULARY.values(torch.tensor([[3, 4]])), torch.Generator().manual_seed(0)
        network = SimpleNamespace(model=Last())
        return VOCABULARY.words(tails.of_pfn(network, VOCABULARY, 50, chance, seen, 60, rare, together))

    assert steps(0.0, True).max() > 5 and steps(0.0, False).max() == 5
    assert steps(0.2, True).unique().tolist() == [4]


def test_a_word_has_the_mass_that_a_density_of_other_buckets_gives_it():
    borders = torch.tensor([-0.5, 0.0, 0.21, 0.37, 0.6, 1.1])
    density = Bars(borders, torch.tensor([[0.1, 0.4, 0.2, 0.2, 0.1]]).log())
    masses = tails.word_masses(density, VOCABULARY)[0]
    inner = VOCABULARY.borders[1:-1]
    assert masses.sum().item() == pytest.approx(1) and (masses >= 0).all()
    assert torch.allclose(masses.cumsum(0)[:-1], density[[0] * len(inner)].cdf(inner), atol=1e-6)


def test_curves_to_train_on_are_those_of_no_test_set_and_come_in_equal_pairs():
    x = training_curves(50, 0)
    for test in (prior.test_set(50), prior.second_test_set(50)):
        assert not torch.isclose(x.clean[:, None], test.clean, atol=1e-4).all(2).any()
    noisy, clean = batches(x.noisy, x.clean, seed=1, size=4)(0)
    found = [int((x.clean == one).all(1).nonzero()) for one in clean]
    assert torch.equal(x.noisy[found], noisy)


def test_futures_that_rise_together_are_not_independent():
    """Two of four futures are above at both epochs: half, three quarters if independent, half by the likeliest."""
    together = np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    assert limits.chances(together, 0.5) == {"futures": 0.5, "independent": 0.75, "likeliest": 0.5}
    apart = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    assert limits.chances(apart, 0.5) == {"futures": 1.0, "independent": 0.75, "likeliest": 0.5}
