"""The ladder here beside the book's: accuracies by rung, their figure and their table."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from reproduce import printed
from reproduce._press import style
from reproduce._press.intervals import Interval, in_cell
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import panels, ticks

ADDS = {  # rung: what it adds to the one before
    "fully connected": "",
    "one convolution": "a convolution with pooling",
    "two convolutions": "a second convolution",
    "ReLU": "ReLU in place of the sigmoid",
    "shifted images": "training on shifted images as well, at equal steps,",
    "dropout": "dropout before the last layer",
    "vote of five": "a vote of five networks, compared with their mean,",
}
VOTE = list(ADDS)[-1]
LONGER = {  # a rung that takes more steps: that which it is compared with
    "ReLU for as many steps": "ReLU",
    "shifted images for as many epochs": "ReLU",
}


def accuracies(rows: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Seeds x rungs, after the last epoch; of dropout, the mean over the members of the vote."""
    ends = rows["rows"].groupby(["seed", "rung", "member"])["test_accuracy"].last()
    table = ends.groupby(["seed", "rung"]).mean().unstack()
    table = table.assign(**{VOTE: rows["votes"].set_index("seed")["accuracy"]})
    return table.reindex(columns=[*ADDS, *LONGER])


def gains(found: pd.DataFrame) -> pd.DataFrame:
    """Above the rung before, or above what a rung of more steps is compared with."""
    before = dict(zip([*ADDS][1:], ADDS, strict=False)) | LONGER
    return pd.DataFrame({rung: found[rung] - found[other] for rung, other in before.items()})


def book() -> pd.Series:
    return pd.read_csv(Path(printed.__file__).with_name("ladder.csv")).set_index("rung")["accuracy"]


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """Error rates on an axis of logarithms, the first rung at the bottom."""
    figure, (axis,) = panels([""], (7.0, 3.6))
    errors = 100 * (1 - accuracies(rows))
    dots(axis, [(rung, Interval.of_mean(errors[rung])) for rung in ADDS], fmt="o", color=style.colour("ours"),
         label="here: 8 × 8 pixels, 1,000 images")  # fmt: skip
    theirs = "the book: 28 × 28 pixels, 50,000 images"
    axis.plot(100 * (1 - book()), list(ADDS), "D--", color=style.colour("paper"), label=theirs)
    axis.set_xscale("log")
    axis.set_xlim(0.25, 25)  # intervals of few seeds may reach below zero, where logarithms end
    ticks(axis, (0.3, 0.5, 1, 2, 3, 5, 10, 20), "g")
    axis.set_xlabel("errors on test images (%)")
    figure.legend(loc="outside upper center", ncols=2)
    return {"ladder": figure}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    found, theirs = 100 * accuracies(rows), 100 * book()
    above = gains(found).reindex(columns=found.columns)
    lines = [
        {"rung": rung, "accuracy (%)": in_cell(Interval.of_mean(found[rung].dropna()), missing="–"),
         "the book’s (%)": f"{theirs[rung]:.2f}" if rung in theirs else "–",
         "above the rung before": in_cell(Interval.of_mean(above[rung].dropna()), "+.2f", "–"),
         "the book’s": f"{theirs.diff()[rung]:+.2f}" if theirs.diff().notna().get(rung) else "–"}
        for rung in found
    ]  # fmt: skip
    return {"ladder": pd.DataFrame(lines)}
