"""The network that ships: what is claimed of it."""

import pandas as pd

from curvecast.curves import outside_prior
from curvecast.forecasting.forecast import RARE
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.practice.shipped.case_differences import gap, own
from reproduce.practice.shipped.cases import SEEN

STATED = {  # name: sentence, condition
    "loses_little": (
        "After ten epochs the network that ships loses at most {most} nats a point to the exact posterior: {value:.3f}.",
        "<= 0.15",
    ),
    "whole_runs": (
        "After twenty whole epochs it is less than 0.02 nats below a network of the same size that was trained "
        "on whole runs alone: {value:+.3f}.",
        "> -0.02",
    ),
    "headless": (
        "Where the first five of twenty epochs are missing it is less than 0.02 nats below that one: {value:+.3f}.",
        "> -0.02",
    ),
    "fifth": (
        "Where every fifth of twenty epochs was logged it is above a network of the same size that was trained on "
        "whole runs alone, by {value:+.2f} nats.",
        "> 0",
    ),
    "half": ("Where a random half of them was logged it is above that one, by {value:+.2f} nats.", "> 0"),
    "honest": (
        "Its 90 % band holds {least:.0%} to {most:.0%} of the later points after ten epochs: {value:.1%}.",
        "between 0.87 and 0.93",
    ),
    "alarms": (
        "It warns of at most {most:.0%} of the paper’s own curves after twenty epochs, where 5 % are meant: {value:.1%}.",
        "between 0 and 0.08",
    ),
    "alarms_late": (
        "After ninety epochs it warns of at most {most:.0%} of them: {value:.1%}.",
        "between 0 and 0.08",
    ),
    "diverged": (
        "It warns of at least {least:.0%} of the runs that fell to guessing five epochs ago: {value:.1%}.",
        ">= 0.8",
    ),
    "not_turned": (
        "It warns of at least {least:.0%} of the losses that were handed over as if more were better: {value:.1%}.",
        ">= 0.8",
    ),
    "overfits": (
        "It warns of at least {least:.0%} of the runs that overfit slowly, at their end: {value:.1%}.",
        ">= 0.8",
    ),
    "futures": (
        "Of the ends of sampled futures {least:.0%} to {most:.0%} lie in the 90 % band of the direct forecast: {value:.1%}.",
        "between 0.85 and 0.95",
    ),
}


def claims(rows: Rows) -> list[Claim]:
    each = rows.get("rows", pd.DataFrame(columns=["method", "case", "cutoff", "curve", "ll", "cover90"]))
    whole = each[each["case"] == "whole"]
    held = Interval.of_mean(own(whole, "shipped", 10)["cover90"].dropna())
    found = {
        "loses_little": gap(whole, "judge", "shipped", 10), "whole_runs": gap(whole, "shipped", "whole", 20),
        "headless": _hole(each, "without the first five"),
        "fifth": _hole(each, "every fifth"), "half": _hole(each, "a random half"),
        "honest": held, "alarms": _alarm(rows, outside_prior.OWN, 20),
        "alarms_late": _alarm(rows, outside_prior.OWN, 90),
        "diverged": _alarm(rows, "diverges", 60), "not_turned": _alarm(rows, "loss, not turned", 20),
        "overfits": _alarm(rows, "overfits", 90), "futures": _inside(rows),
    }  # fmt: skip
    return [claim(name, sentence, found[name], condition) for name, (sentence, condition) in STATED.items()]


def _hole(each: pd.DataFrame, case: str) -> Interval | None:
    return gap(each[each["case"] == case], "shipped", "whole", SEEN)


def _alarm(rows: Rows, kind: str, cutoff: int) -> Interval | None:
    """The share of these curves that a warning is given of."""
    if "odd" not in rows:
        return None
    some = rows["odd"][(rows["odd"]["kind"] == kind) & (rows["odd"]["cutoff"] == cutoff)]
    return Interval.wilson((some["in_prior"] < RARE).astype(float))


def _inside(rows: Rows) -> Interval | None:
    if "futures" not in rows:
        return None
    places = rows["futures"]
    held = ((places["place"] > 0.05) & (places["place"] < 0.95)).astype(float)
    return Interval.of_mean(held.groupby(places["curve"]).mean())
