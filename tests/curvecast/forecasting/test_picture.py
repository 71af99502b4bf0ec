"""Guards curvecast/forecasting/picture.py: points, median, two bands, and any name."""

import pytest

from curvecast import forecast
from curvecast.forecasting import picture


def test_the_plot_shows_points_median_and_two_bands():
    run = forecast([0.31, 0.42, 0.48, 0.52, 0.55])
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = run.plot()
    assert len(ax.lines) == 2 and len(ax.collections) == 2
    _, other = plt.subplots()
    assert run.plot(other) is other


@pytest.mark.parametrize(
    ("name", "shown"), [("a", "a"), ("$x$", r"\$x\$"), ("_hid", " _hid"), ("\ud800", "?"), ("a\x1b\0", "a??")]
)
def test_a_name_is_shown_as_a_name(name, shown):
    assert picture.label(name) == shown
