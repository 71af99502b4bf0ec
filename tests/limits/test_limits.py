"""Guards reproduce/limits/limits/question.py and what it is made of: the changed curves, the questions asked, the sentences
claimed."""

import pandas as pd
import pytest
import torch

from curvecast.curves import prior
from curvecast.curves.outside_prior import KINDS, OWN
from curvecast.scores import curve_by_curve
from reproduce.limits.limits import best_remaining, claims
from reproduce.limits.limits import question as limits

CONFIG = limits.SCALES["laptop"]
CURVES = prior.test_set(200)
EPOCH = torch.arange(1, 101)


def made(name: str) -> torch.Tensor:
    return KINDS[name].make(CURVES, torch.Generator().manual_seed(0))


class Knows:
    """A forecaster whose law at epoch x is uniform from x - 1 to x, whatever it has seen; it notes what it was shown."""

    def predict(self, x, y, x_query, mask=None):
        self.seen = x if mask is None else torch.where(mask, x, torch.nan)
        return Uniform(x_query)


class Uniform:
    def __init__(self, top: torch.Tensor):
        self.top = self.log_p = top
        self.log_p = top[..., None].expand(*top.shape, 3)

    def cdf(self, y):
        return (y - self.top + 1).clamp(0, 1)

    def log_density(self, y):
        return torch.where((y > self.top - 1) & (y < self.top), 0.0, -torch.inf)

    def quantile(self, level):
        return self.top - 1 + level


@pytest.mark.parametrize("name", [n for n in KINDS if n != OWN])
def test_each_kind_differs_from_the_priors_own_by_epoch_61(name):
    """What is asked for is changed; what is called the prior's own is not."""
    assert not torch.equal(made(name)[:, 60:], made(OWN)[:, 60:])
    assert torch.equal(made(OWN), CURVES.noisy)


@pytest.mark.parametrize(("name", "last"), [("learning rate drops", 50), ("overfits", 30), ("diverges", 55)])
def test_a_late_change_leaves_what_came_before_as_it_was(name, last):
    """Whoever sees the beginning sees a curve of the prior."""
    differs = (made(name) != CURVES.noisy).any(0)
    assert not differs[:last].any() and differs[last:].all()


def test_a_drop_of_the_rate_gains_a_third_of_what_is_missing():
    """From epoch 51 on the clean curve has a third less to go to 1."""
    clean = made("learning rate drops") - (CURVES.noisy - CURVES.clean)
    assert torch.allclose(1 - clean[:, 50:], (1 - CURVES.clean[:, 50:]) * 2 / 3, atol=1e-5)


def test_spikes_and_teeth_are_where_they_are_said_to_be():
    """Spikes at 5, 15, 25 and so on; a tooth is ten epochs long and as much above as below."""
    low = (made("spikes") - CURVES.noisy).mean(0)
    assert ((low < -0.1) == (EPOCH % 10 == 5)).all()
    tooth = (made("sawtooth") - CURVES.noisy).mean(0).reshape(10, 10)
    assert torch.allclose(tooth, tooth[0].expand(10, 10), atol=1e-5) and abs(tooth.sum()) < 1e-4


def test_heavy_tails_have_the_size_of_the_normal_noise():
    """The same standard deviation, but more points beyond four of it, and more within a half."""
    z = (made("heavy-tailed noise") - CURVES.clean) / CURVES.sigma[:, None]
    assert z.square().mean() == pytest.approx(1, abs=0.2)
    assert (z.abs() > 4).float().mean() > 0.003 and (z.abs() < 0.5).float().mean() > 0.5


def test_a_row_is_the_mean_over_the_queries_of_its_curve():
    """One of two points inside the band is a half, and the order of the curves is kept."""
    y = torch.tensor([[9.5, 19.5], [9.5, 30.0], [30.0, 30.0]])
    found = curve_by_curve.ask(Knows(), torch.tensor([1.0]), y[:, :1], torch.tensor([10.0, 20.0]), y)
    assert list(found["cover90"]) == [1, 0.5, 0] and list(found["curve"]) == [0, 1, 2]


def test_gaps_show_what_they_say_and_ask_all_for_the_same_points():
    """Renumbered points keep their values; curves whose value is their epoch tell which were shown."""
    shown = {}

    class Notes(Knows):
        def predict(self, x, y, x_query, mask=None):
            shown[tuple(x[0].tolist())] = (y[0].tolist(), x_query[0].tolist())
            return super().predict(x, y, x_query, mask)

    y = EPOCH.float().expand(3, -1)
    found = curve_by_curve.gaps(Notes(), y, 20, torch.Generator().manual_seed(0))
    assert shown[1.0, 2.0] == ([10, 20], [4, 6, 8, 10])
    assert shown[10.0, 20.0] == ([10, 20], [40, 60, 80, 100])
    assert found.groupby("case").size().eq(3).all()


def test_chances_of_the_best_multiply_only_if_independent():
    """Two epochs at 0.5 each: none above with 0.25 if independent, 0.5 by the likeliest alone."""
    density = Uniform(torch.tensor([[1.0, 1.0], [1.0, 2.0]]))
    independent, together, last = best_remaining.none_above(density, torch.tensor([0.5, 1.5]))
    assert independent.tolist() == [0.25, 0.5]
    assert together.tolist() == [0.5, 0.5] and last.tolist() == [0.5, 0.5]


def rows(shares: list[float], case: str, cutoff: int = 20) -> dict[str, pd.DataFrame]:
    frame = pd.DataFrame({"case": case, "cutoff": cutoff, "curve": range(len(shares)), "cover90": shares})
    return {"strange": frame.assign(ll=0.0)}


def verdicts(found: dict[str, pd.DataFrame]) -> dict[str, bool | None]:
    return {c.name: c.holds() for c in claims.claims(found, CONFIG.cutoffs, CONFIG.distances)}


def test_a_limitation_holds_fails_or_stays_open():
    """A band that holds little, one that keeps its promise, one on the fence."""
    assert verdicts(rows([0.5, 0.6] * 50, "learning rate drops"))["rate_drop"] is True
    assert verdicts(rows([0.9, 0.95] * 50, "learning rate drops"))["rate_drop"] is False
    assert verdicts(rows([0.6, 1.0] * 10, "learning rate drops"))["rate_drop"] is None


def test_what_was_not_measured_has_no_verdict_and_no_picture():
    """With nothing on disk every claim is untested, and a part alone is drawn alone."""
    stated = claims.claims({}, CONFIG.cutoffs, CONFIG.distances)
    assert stated and not any(claim.tested() for claim in stated)
    assert limits.draw({}) == {} and limits.tabulate({}) == {}
    assert len({claim.name for claim in stated}) == len(stated)


def test_a_difference_is_taken_curve_by_curve():
    """Rows in another order are paired all the same, and what both share cancels."""
    a = pd.Series([3.0, 1.0, 2.0], index=[2, 0, 1])
    b = pd.Series([0.5, 1.5, 2.5], index=[0, 1, 2])
    gap = claims.difference(a, b)
    assert gap is not None and gap == pytest.approx((0.5, 0.5, 0.5))


def test_the_error_of_a_ratio_is_that_of_its_numerator_if_the_rest_is_fixed():
    """A denominator without spread: the ratio's error is the numerator's, divided. Of proportional values: none."""
    a, b = pd.Series([1.0, 3.0, 2.0, 4.0]), pd.Series([2.0, 2.0, 2.0, 2.0])
    found = claims.ratio(a, b)
    assert found is not None and found.value == pytest.approx(1.25)
    assert found.half == pytest.approx(1.96 * a.std() / 2 / 2)
    exact = claims.ratio(3 * a, a)
    assert exact is not None and exact == pytest.approx((3, 3, 3))


def test_equal_bits_are_claimed_of_equal_bits_only():
    """The smallest difference between two threads and one is a failure."""
    machine = pd.DataFrame({
        "setting": ["one thread", "two threads", "AVX2 at most", "no wide vectors"],
        "ll": [0, 0, 1e-5, 2e-5], "weights": [0, 0, 1e-6, 1e-6],
    })  # fmt: skip
    found = verdicts({"machine": machine})
    assert found["threads_same_bits"] and found["instructions_agree"] and found["instructions_other_weights"]
    machine.loc[1, "weights"] = 1e-9
    assert verdicts({"machine": machine})["threads_same_bits"] is False
