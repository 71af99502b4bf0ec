"""Guards reproduce/language/language_models: one scale for all models, equal curves, and what the claims compare."""

import math

import numpy as np
import pandas as pd
import pytest
import torch
from torch.nn.functional import one_hot

from curvecast.networks.bars import Bars
from curvecast.training.batches import curves
from curvecast.training.forecaster import Forecaster
from reproduce._press import contract
from reproduce._press.intervals import Interval
from reproduce.language.language_models import claims, question, tails, told_apart, trained
from reproduce.language.language_models.trained import PFN, Trainings, next_points, rows_of

SMALL = question.SCALES["smoke"].trainings
VOCABULARY = SMALL.vocabulary()


def untrained(name: str) -> Forecaster:
    config = SMALL.config(name, 0)
    return Forecaster(config, config.network().eval(), [])


def test_all_networks_train_on_the_same_curves_in_the_same_order():
    first = [curves(Trainings().config(name, 3), 1, "cpu") for name in (*question.MODELS, PFN)]
    assert all(torch.equal(other, first[0]) for other in first[1:])


def test_the_forecasting_network_is_that_of_the_page_on_architectures():
    """Parameters, and the settings with which all backbones learn best."""
    config = Trainings().config(PFN, 0)
    assert sum(p.numel() for p in config.network().parameters()) == 100_110
    assert (config.optimiser, config.lr, config.matrix_lr, config.draws) == ("muon", 1.6e-3, 0.02, "number")


def test_nats_and_bits_of_a_uniform_model():
    """All 16 words alike: four bits a word, and a density that is one sixteenth over the width."""
    y = torch.rand(3, 100)
    found = trained.without_training(SMALL, y, 0).set_index("model").loc["uniform"]
    widths = VOCABULARY.within(y, VOCABULARY.words(y))[:, 5:].mean(1)
    assert found["bits"].tolist() == [4.0] * 3
    assert found["ll"].tolist() == pytest.approx((widths - math.log(16)).tolist(), abs=1e-4)


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


def test_the_crps_of_an_ensemble_is_that_of_its_law():
    """Of a normal law it is known; a constant ensemble has its distance."""
    normal = torch.randn(1, 20_000, generator=torch.Generator().manual_seed(0))
    assert tails._crps(normal, torch.zeros(1)).item() == pytest.approx(
        (math.sqrt(2) - 1) / math.sqrt(math.pi), abs=0.01
    )
    assert tails._crps(torch.ones(1, 5), torch.tensor([3.0])).item() == 2


def test_a_forest_tells_levels_apart_and_not_two_halves_of_one_law():
    random = np.random.default_rng(0)
    one, other = random.normal(size=(2, 200, 10))
    right, judged = told_apart._right(one, other, 0)
    assert judged == 200 and 0.35 < right / judged < 0.65
    assert told_apart._right(one + 2, other, 0)[0] > 190


def test_claims_compare_curve_by_curve_and_bear_missing_parts():
    rows = pd.DataFrame([
        {"model": model, "seed": seed, "curve": curve, "ll": seed + 10 * curve + ahead, "bits": 3, "own_perplexity": 8 + seed}
        for seed in range(3) for curve in range(2) for model, ahead in (("LSTM", 0.25), ("feed-forward", 0.0))
    ])  # fmt: skip
    found = {
        claim.name: claim
        for claim in question.claims(contract.load("language_models").whole({"rows": rows}, "laptop"))
    }
    assert found["lstm_beats_window"].found == (0.25, 0.25, 0.25) and found["lstm_beats_window"].holds()
    assert found["entropy_is_perplexity"].value == pytest.approx(9 / 8)
    assert found["transformer_beats_lstm"].answer() == found["covers"].answer() == "not tested"


def test_an_interval_counts_seeds_and_curves():
    """A pattern that seeds share is the curves' luck alone, and the other way round; of a ratio, what both share cancels."""
    curves = pd.DataFrame(np.tile([1.0, 2.0, 3.0, 4.0], (3, 1)))
    of_curves, of_seeds = Interval.of_seeds_and_curves(curves), Interval.of_seeds_and_curves(curves.T)
    assert of_curves == of_seeds == pytest.approx(claims.Interval.of_mean(curves.iloc[0]))
    assert claims.times(1.5 * curves, curves) == pytest.approx((1.5, 1.5, 1.5))


def test_futures_of_a_pfn_read_what_was_drawn_and_leave_out_rare_words():
    """A density that repeats the last value read wanders off a beginning only if epochs are drawn together."""

    class Last:
        def predict(self, x, y, later):  # nine tenths on the last word, the rest on the one above
            last = VOCABULARY.words(y[:, -1:]).expand(later.shape)
            p = 0.9 * one_hot(last, 16) + 0.1 * one_hot((last + 1).clamp(max=15), 16)
            return Bars(VOCABULARY.borders, p.clamp(min=1e-9).log())

    def steps(rare: float, together: bool) -> torch.Tensor:
        seen, chance = VOCABULARY.values(torch.tensor([[3, 4]])), torch.Generator().manual_seed(0)
        return VOCABULARY.words(tails.of_pfn(Last(), VOCABULARY, 50, chance, seen, 60, rare, together))

    assert steps(0.0, True).max() > 5 and steps(0.0, False).max() == 5
    assert steps(0.2, True).unique().tolist() == [4]


def test_a_word_has_the_mass_that_a_density_of_other_buckets_gives_it():
    borders = torch.tensor([-0.5, 0.0, 0.21, 0.37, 0.6, 1.1])
    density = Bars(borders, torch.tensor([[0.1, 0.4, 0.2, 0.2, 0.1]]).log())
    masses = tails.word_masses(density, VOCABULARY)[0]
    inner = VOCABULARY.borders[1:-1]
    assert masses.sum().item() == pytest.approx(1) and (masses >= 0).all()
    assert torch.allclose(masses.cumsum(0)[:-1], density[[0] * len(inner)].cdf(inner), atol=1e-6)


def test_every_part_names_the_networks_that_it_asks():
    config = question.SCALES["laptop"]
    asked = {part: len(question.needs(config, part)) for part in question.parts(config)}
    assert asked == {"n-gram-0": 0, "LSTM-0": 1, "transformer-0": 1, "PFN-0": 1, "later-0": 2, "highest-0": 2,
                     "sampled-0": 2}  # fmt: skip
    assert len(question.models(config)) == 3
