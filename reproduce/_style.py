"""One colour and one name for each method in every figure; light and dark; the same bytes every time.

    with scheme("dark"):                       # the runner does this, once per scheme
        figure, axes = plt.subplots()
        axes.plot(x, y, **line("ours"))        # colour and label of the method; ink() is the colour of text

The hues are those of Okabe and Ito, which people with any colour vision can tell apart, made darker for a
light page and lighter for a dark one so that each stands at least 3 : 1 against it. The background is
transparent.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib

matplotlib.use("Agg")  # draws into files; needs no display

import matplotlib.pyplot as plt  # after the choice of the backend
from matplotlib.figure import Figure  # as above

# method: (its printed name, colour on a light page, colour on a dark page, dashes)
METHODS: dict[str, tuple[str, str, str, str]] = {
    "ours": ("LC-PFN (ours)", "#0072b2", "#56b4e9", "-"),
    "paper": ("LC-PFN (paper)", "#c1500f", "#f08a4b", "-"),
    "last": ("last value", "#6b6b6b", "#a8a8a8", ":"),
    "pow3": ("pow3, least squares", "#007a59", "#2bc79b", "--"),
    "pow4": ("pow4, least squares", "#8a6d00", "#e5cf3f", "--"),
    "mmf4": ("MMF4, least squares", "#5c8a00", "#b5d86a", "-."),
    "mcmc": ("MCMC", "#b3478a", "#e39cc5", "-."),
    "vector": ("MCMC, all at once", "#00838f", "#4dd0e1", "-."),
    "exact": ("exact posterior", "#5b4bb3", "#a99cf0", "-"),
    "oracle": ("oracle", "#1a1a1a", "#f2f2f2", ":"),
    "small": ("1 × 64", "#3d9bd1", "#9fd6f5", "-"),
    "medium": ("2 × 96", "#0072b2", "#56b4e9", "-"),
    "large": ("3 × 128", "#004a75", "#2f8fcf", "-"),
    "coarse": ("LC-PFN, four looks", "#4a7fc1", "#8fb8f0", "--"),
    "none": ("no stopping", "#7a4a21", "#c79a6b", "-"),
    "patience": ("patience", "#9a3fb5", "#d08be6", "-"),
    "one epoch": ("one epoch", "#c2255c", "#ff8fb0", "-."),
    "old port": ("old port, faults kept", "#b23c17", "#ff9472", "-"),
    "decoder": ("decoder, forced", "#7b3fa0", "#c08ae0", "-"),
    "through": ("decoder, free, gradient through", "#a03f6b", "#e68fb5", "--"),
    "detached": ("decoder, free, no gradient", "#6a5a7d", "#b7a8cc", ":"),
    "one shot": ("encoder, in one shot", "#00695c", "#4db6ac", "-"),
    "two stacks": ("encoder and decoder, forced", "#8d6400", "#d9b33b", "-."),
    "rule 1": ("linear, 1 value", "#9c2f5e", "#ff9ab8", ":"),
    "rule 15": ("linear, 15 values", "#4e6e00", "#a8cc4a", "--"),
    "rule direct": ("linear, each epoch at once", "#2e5fa3", "#84a9e0", "-."),
    "epoch fed": ("epoch fed", "#1f6f8b", "#7fc8e0", "-"),
    "epoch not fed": ("epoch not fed", "#b5541c", "#f5a26f", "-"),
    "encoding none": ("none", "#555555", "#bdbdbd", "-"),
    "encoding sincos": ("sin–cos", "#2f6db5", "#7db3f2", "-"),
    "encoding rope": ("RoPE", "#c0392b", "#ff8a7a", "--"),
    "encoding learned": ("learned", "#2e7d32", "#81c784", "-."),
    "encoding alibi": ("ALiBi", "#8e44ad", "#ce93d8", ":"),
}
INK = {"light": "#24292f", "dark": "#e6e6e6"}  # text and axes
FAINT = {"light": "#c8ccd0", "dark": "#4b5158"}  # grid
_current = "light"


def name(method: str) -> str:
    """How a method is called in figures, tables and prose."""
    return METHODS[method][0]


def colour(method: str) -> str:
    return METHODS[method][1 if _current == "light" else 2]


def line(method: str, **more: Any) -> dict[str, Any]:
    """Keywords for `axes.plot`: the colour, dashes and name of a method."""
    return {"color": colour(method), "label": name(method), "linestyle": METHODS[method][3]} | more


def ink() -> str:
    return INK[_current]


def faint() -> str:
    return FAINT[_current]


@contextmanager
def scheme(which: str) -> Iterator[None]:
    """Draw for a light or a dark page."""
    global _current
    if which not in INK:
        raise ValueError(f"scheme {which!r} is neither 'light' nor 'dark'")
    before, _current = _current, which
    try:
        with (
            plt.style.context("default"),
            plt.rc_context(_settings(which)),
        ):  # the salt after the style, which resets it
            yield
    finally:
        _current = before


def svg(figure: Figure) -> bytes:
    """The figure as SVG: the same bytes for the same figure. Closes it."""
    buffer = io.BytesIO()
    with plt.rc_context({"svg.hashsalt": "curvecast", "svg.fonttype": "path"}):
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return buffer.getvalue()


def _settings(which: str) -> Any:  # matplotlib's type of its settings has 300 lines
    text, grid = INK[which], FAINT[which]
    return {
        "svg.hashsalt": "curvecast",  # else each run names its clip paths anew
        "svg.fonttype": "path",  # text as outlines: looks the same where the font is missing
        "font.family": "DejaVu Sans",  # comes with matplotlib
        "font.size": 10,
        "figure.figsize": (7.0, 3.6),
        "figure.constrained_layout.use": True,
        "figure.facecolor": "none",
        "axes.facecolor": "none",
        "savefig.facecolor": "none",
        "text.color": text,
        "axes.labelcolor": text,
        "axes.titlecolor": text,
        "axes.edgecolor": text,
        "xtick.color": text,
        "ytick.color": text,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": grid,
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.8,
        "legend.frameon": False,
        "legend.labelcolor": text,
        "path.simplify": True,
    }
