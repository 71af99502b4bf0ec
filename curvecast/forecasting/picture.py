"""A forecast as a picture: points, median, bands of 50 and 90 %."""

from typing import Any

from curvecast.ground.errors import installed, printable


def plot(run: Any, ax: Any) -> Any:
    """Of a Forecast, on these matplotlib axes, or on new ones. Returns the axes."""
    with installed("matplotlib is not installed: pip install 'curvecast[plot]'"):
        import matplotlib.pyplot as plt
    if ax is None:
        _, ax = plt.subplots()
    ax.plot(run.observed_steps, run.observed, ".", color="0.3", label="_seen")
    (line,) = ax.plot(run.steps, run.median, label=label(run.name))
    for p, strength in ((0.9, 0.15), (0.5, 0.25)):
        ax.fill_between(run.steps, *run.interval(p), color=line.get_color(), alpha=strength, linewidth=0)
    ax.set_xlabel("step")
    return ax


def label(name: str) -> str:
    """A name as matplotlib takes it for a name, and SVG for text: $ begins no formula, and a leading _ hides nothing."""
    return (" " if name.startswith("_") else "") + printable(name, 200).replace("$", r"\$")
