"""Guards reproduce/practice/in_browser.py: ratios follow their rows, and both are asked for the same. Nothing is timed."""

import pandas as pd
import pytest

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from reproduce.practice import in_browser


def timed(factor: float) -> pd.DataFrame:
    """Rows in which the browser takes `factor` times as long, round by round."""
    return pd.DataFrame(
        {"program": program, "seen": seen, "round": number, "curves": 50,
         "seconds": (0.1 + 0.001 * number) * (factor if program == "browser" else 1)}
        for seen in (10, 50) for number in range(1, 10) for program in ("NumPy", "browser")
    )  # fmt: skip


def test_once_as_long_is_within_twice_and_three_times_is_not():
    assert all(claim.holds() for claim in in_browser.claims(timed(1)))
    assert not any(claim.holds() for claim in in_browser.claims(timed(3)))
    assert in_browser.claims(timed(3))[0].value == pytest.approx(3)


def test_what_was_not_measured_is_not_claimed():
    rows = timed(1).query("seen == 10")
    assert [claim.name for claim in in_browser.claims(rows) if not claim.tested()] == ["within_twice_at_50"]


def test_numpy_forecasts_what_it_is_given():
    y = prior.test_set(2).noisy[:, :10].clamp(0, 1).double().numpy()
    assert in_browser._numpy(y, 100) > 0


def test_a_machine_without_a_browser_gets_a_sentence(monkeypatch):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(in_browser.shutil, "which", lambda name: None)
    with pytest.raises(UserError, match="no Chromium"), in_browser._page():
        pass
