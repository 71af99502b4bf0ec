"""A figure of inputs and outputs: which task each shape of a sequence model means for learning curves."""

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import style

SHAPES = {  # name: (the task, epochs of the input, epochs of the output)
    "one to one": ("last value\nto final value", (3,), (6,)),
    "one to many": ("first value\nto whole curve", (0,), (1, 2, 3, 4, 5, 6)),
    "many to one": ("beginning\nto final value", (0, 1, 2, 3), (6,)),
    "many to many": ("beginning\nto the rest", (0, 1, 2, 3), (4, 5, 6)),
    "many to many,\nstep by step": ("each value\nto the next", (0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)),
}
ASKED = "many to many"  # the task of every row of the comparison


def draw() -> Figure:
    figure, axes = plt.subplots(1, len(SHAPES), figsize=(10, 2.4), sharey=True)
    for axis, (name, (task, inside, outside)) in zip(axes, SHAPES.items(), strict=True):
        colour = style.colour("ours" if name == ASKED else "large")
        for x in range(7):
            axis.plot(x, 0, "o", color=colour if x in inside else style.faint(), markersize=6)
            axis.plot(x, 1, "s", color=colour if x in outside else style.faint(), markersize=6)
        _arrows(axis, inside, outside, step_by_step="step" in name)
        axis.set(title=name, xlim=(-0.6, 6.6), ylim=(-0.3, 1.3), xticks=[])
        axis.set_xlabel(task, fontsize=9)
        axis.grid(visible=False)
    axes[0].set_yticks([0, 1], ["in", "out"])
    return figure


def _arrows(axis: Axes, inside: tuple[int, ...], outside: tuple[int, ...], step_by_step: bool) -> None:
    pairs = zip(inside, outside, strict=True) if step_by_step else ((i, o) for i in inside for o in outside)
    for i, o in pairs:
        axis.annotate(
            "",
            (o, 0.88),
            (i, 0.12),
            arrowprops={"arrowstyle": "-", "color": style.ink(), "lw": 0.5, "alpha": 0.5},
        )
