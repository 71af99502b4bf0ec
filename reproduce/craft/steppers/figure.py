"""The figure: races on the bowl beside trainings of the network."""

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press import style
from reproduce._press.where import where
from reproduce.craft.steppers.bowl import BFGS, CG, NEWTON
from reproduce.craft.steppers.methods import DESCENT, MOMENTUM, NESTEROV
from reproduce.pictures.panels import legend, panels

LOOKS = {
    DESCENT: ("last", "-"), MOMENTUM: ("ours", "-"), NESTEROV: ("ours", "--"), "RMSprop": ("laws", "-."),
    "Adam": ("shipped", "-"), "AdamW": ("shipped", ":"), NEWTON: ("oracle", "o-"), CG: ("new", "-"), BFGS: ("exact", "--"),
}  # fmt: skip


def races_and_runs(races: pd.DataFrame, runs: pd.DataFrame, condition: float, goal: float) -> Figure:
    """Axes of races are logarithmic, so that one step and a thousand fit; costs below the goal are drawn at it."""
    titles = [f"bowl, condition number {condition:g}", "network on digits"]
    figure, (race, training) = panels(titles, (8.4, 4.2))
    for name, (colour, dashes) in LOOKS.items():
        one = where(races, method=name)
        mean = where(runs, method=name).groupby("epoch")["cost"].mean()
        race.plot(one["step"], one["cost"].clip(lower=goal), dashes, color=style.colour(colour), label=name)
        training.plot(mean, dashes, color=style.colour(colour))
    race.set_xscale("symlog", linthresh=1)  # logarithmic from the first step, with a place for the start
    race.set(yscale="log", xlabel="step", ylabel="cost ÷ cost at the start")
    training.set(yscale="log", xlabel="epoch", ylabel="training cost (nats)")
    legend(figure, [race], 5)
    return figure
