"""Kinds of curves that the prior does not contain: each kind at each cutoff, and one curve in full."""

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.outside_prior import KINDS, OWN
from curvecast.scores import curve_by_curve
from curvecast.training.train import Forecaster
from reproduce._press.style import colour, faint, ink
from reproduce._press.where import Rows, where
from reproduce.pictures.bands import bands
from reproduce.pictures.panels import legend, panels

TITLES = {  # of a kind, where a page would not understand its name in the rows
    OWN: "unchanged",
    "loss, not turned": "loss, falling",
    "in percent": "percentages",
    "spikes": "outliers",
}
SHOWN = 20  # epochs that are observed of the curve in full
LATER = torch.tensor([61.0, 76.0, 100.0])  # no spikes, and all places of a tooth


def forecasts(
    forecaster: Forecaster, curves: prior.Curves, cutoffs: tuple[int, ...], generator: torch.Generator
) -> Rows:
    """The same late epochs are forecast at each cutoff."""
    x, frames, examples = torch.arange(1, 101.0), [], []
    first = int((curves.sigma < 0.01).int().argmax())  # of those with little noise, which hides nothing
    for name, kind in KINDS.items():
        y = kind.make(curves, generator)
        for c in cutoffs:
            frame = curve_by_curve.ask(forecaster, x[:c], y[:, :c], LATER, y[:, LATER.long() - 1])
            frame["ll"] += torch.tensor(kind.unit).log().item()  # as a density of the curve itself
            frames.append(frame.assign(case=name, cutoff=c))
        one = y[first : first + 1]
        density = forecaster.predict(x[None, :SHOWN], one[:, :SHOWN], x[None, SHOWN:])
        example = pd.DataFrame({"case": name, "epoch": range(1, 101), "y": one[0].numpy()})
        for level in (0.05, 0.5, 0.95):
            example.loc[SHOWN:, f"q{100 * level:02.0f}"] = density.quantile(level)[0].numpy()
        examples.append(example)
    return {"strange": pd.concat(frames), "example": pd.concat(examples)}


def changes() -> dict[str, str]:
    """How each kind differs from the unchanged curves: the docstrings of the functions that make them."""
    return {name: " ".join((kind.make.__doc__ or "").split()) for name, kind in KINDS.items() if name != OWN}


def draw(rows: Rows) -> Figure:
    shares = where(rows["strange"], cutoff=SHOWN).groupby("case", sort=False)["cover90"].mean()
    titles = [f"{TITLES.get(case, case)}: coverage {100 * share:.0f} %" for case, share in shares.items()]
    figure, axes = panels(titles, (9, 9), 3, sharex=True)
    for axis, case in zip(axes, shares.index, strict=True):
        _panel(axis, where(rows["example"], case=case))
    for axis in axes[-3:]:
        axis.set_xlabel("epoch")
    figure.supylabel("value of the curve", fontsize=10)
    legend(figure, axes, 4)
    return figure


def _panel(axis: Axes, curve: pd.DataFrame) -> None:
    """Points and interval; the axis is cut where the interval has far outliers, never where points lie."""
    seen, later = curve[curve["q50"].isna()], curve[curve["q50"].notna()]
    bands(axis, later["epoch"], later, colour("ours"), {("q05", "q95"): 0.25}, "90 % interval")
    axis.plot(later["epoch"], later["q50"], color=colour("ours"), label="median")
    axis.plot(later["epoch"], later["y"], ".", color=ink(), markersize=2.5, label="future points")
    axis.plot(seen["epoch"], seen["y"], ".", color=colour("paper"), markersize=4, label="observed points")
    axis.axvline(SHOWN + 0.5, color=faint(), linewidth=1)
    axis.set_xlim(0, 101)
