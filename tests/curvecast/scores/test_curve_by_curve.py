"""Guards curvecast/scores/curve_by_curve.py: what was asked, what was shown, and a row for each curve."""

import torch

from curvecast.scores import curve_by_curve

EPOCH = torch.arange(1, 101)


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
