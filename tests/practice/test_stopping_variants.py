"""Guards reproduce/practice/stopping_variants: calibrated intervals follow finished runs."""

import pandas as pd
import pytest
import torch

from curvecast import forecast
from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from reproduce.practice import stopping_variants as question
from reproduce.practice.stopping_variants import calibrated
from reproduce.protocols import stopping_rules as rules

SEEN = 20


@pytest.fixture(scope="module")
def curves() -> torch.Tensor:
    return prior.test_set(12).noisy.clamp(0, 1).float()  # (12, 100)


@pytest.fixture(scope="module")
def forecaster():
    return torch_network.load(shipped.PATH)


def asked(curves: torch.Tensor) -> tuple[torch.Tensor, ...]:
    x, later = torch.arange(1.0, SEEN + 1), torch.tensor([30.0, 60.0, 100.0])
    return x.expand(2, -1), curves[:2, :SEEN], later.expand(2, -1)


def test_finished_runs_that_went_higher_raise_what_is_expected(curves, forecaster):
    """And those that fell lower it, at every epoch, for each run."""
    alone = forecaster.predict(*asked(curves)).quantile(0.9)
    after = torch.arange(100) >= SEEN
    rose = calibrated(forecaster, torch.where(after, 0.5 + 0.5 * curves[2:], curves[2:]))(
        *asked(curves)
    ).quantile(0.9)
    fell = calibrated(forecaster, torch.where(after, 0.5 * curves[2:], curves[2:]))(*asked(curves)).quantile(
        0.9
    )
    assert alone.shape == rose.shape == fell.shape == (2, 3)
    assert (fell < alone).all() and (alone <= rose).all() and (rose > alone).any()


def test_bands_are_those_of_a_call_with_the_same_finished_runs(curves, forecaster):
    """As far ahead as each of three epochs is, of all that are still to come."""
    found = calibrated(forecaster, curves[2:])(*asked(curves)).quantile(0.9)  # (2, 3)
    for run, mine in zip(curves[:2], found, strict=True):
        told = forecast(run[:SEEN].tolist(), horizon=100, finished=curves[2:].tolist(), check=False)
        assert mine.tolist() == pytest.approx(told.quantile(0.9)[[9, 39, 79]].tolist(), abs=1e-4)


def test_what_finished_runs_say_is_found_once(curves, forecaster, monkeypatch):
    """After each number of epochs, however often it is asked."""
    calls = []
    real = question.calibrated.__globals__["scores"]
    monkeypatch.setitem(
        question.calibrated.__globals__, "scores", lambda *args: calls.append(1) or real(*args)
    )
    predict = calibrated(forecaster, curves[2:])
    first, second = (predict(*asked(curves)).quantile(0.5) for _ in range(2))
    assert calls == [1] and first.equal(second)


def rows(**spent: int) -> dict[str, pd.DataFrame]:
    """Regret that falls from 1 to a tenth at once, after so many thousandths of the budget; three tasks of each source."""
    lines = []
    for source in question.chosen.SOURCES:
        for task in range(3):
            for method, when in ({"no stopping": 1000, "alone": 400} | spent).items():
                falls = [1.0 if one < when else 0.1 for one in rules.SPENT]
                lines.append((source, f"{source}/{task}", f"{source}/{task}", method, 9, 0.1, *falls))
    table = pd.DataFrame(lines, columns=list(question.TABLES["rows"]))
    looks = pd.DataFrame(
        [("own", "t", name, 10, 1.0) for name in question.VARIANTS], columns=list(question.TABLES["looks"])
    )
    return {"rows": table, "looks": looks}


def test_claims_say_who_is_sooner():
    """Calibrated twice as fast, futures half as fast; with the same regret at the end neither ends with less."""
    found = {c.name: c for c in question.claims(rows(calibrated=200, futures=800))}
    assert found["calibrated_sooner"].holds() and found["calibrated_sooner"].value == pytest.approx(
        2, rel=0.2
    )
    assert found["futures_sooner"].holds() is False
    assert found["futures_lower"].value == 0 and not found["futures_lower"].holds()
