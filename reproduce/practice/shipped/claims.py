"""The released model: its claims."""

import pandas as pd

from curvecast.curves import outside_prior
from curvecast.forecasting.doubts import RARE
from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, minus, where
from reproduce.practice.shipped.cases import SEEN

WHOLE = "a network of the same size that was trained on whole runs of the paper’s prior"
STATED: dict[str, tuple[str, Needs, str]] = {  # name: question, what yes needs, unit
    "loses_little": (
        "After ten epochs, is the log-likelihood of the released model close to that of the exact posterior?",
        AtMost(0.15), "nats per point",
    ),
    "whole_runs": (
        f"After twenty whole epochs, does the released model score nearly as high as {WHOLE}?",
        Above(-0.02), "nats per point",
    ),
    "headless": (
        f"With the first five of twenty epochs missing, does the released model score nearly as high as {WHOLE}?",
        Above(-0.02), "nats per point",
    ),
    "fifth": (
        f"With every fifth of twenty epochs logged, does the released model score higher than {WHOLE}?",
        Above(0), "nats per point",
    ),
    "half": (
        f"With a random half of twenty epochs logged, does the released model score higher than {WHOLE}?",
        Above(0), "nats per point",
    ),
    "honest": (
        "After ten epochs, does the 90 % interval of the released model have about the coverage it states?",
        Between(0.87, 0.93), "%",
    ),
    "alarms": (
        "After twenty epochs, does the released model seldom warn of curves of the paper’s prior?", Between(0, 0.08), "%",
    ),
    "alarms_late": (
        "After ninety epochs, does the released model seldom warn of curves of the paper’s prior?", Between(0, 0.08), "%",
    ),
    "diverged": (
        "Does the released model warn of most runs that fell to guessing five epochs ago?", AtLeast(0.8), "%",
    ),
    "not_turned": (
        "Does the released model warn of most losses that were given as if higher were better?", AtLeast(0.8), "%",
    ),
    "overfits": (
        "Does the released model warn of most runs that overfit slowly, at their end?", AtLeast(0.8), "%",
    ),
    "futures": (
        "Do sampled futures of the released model end inside the 90 % interval of its direct forecast about as often as "
        "that interval states?", Between(0.85, 0.95), "%",
    ),
}  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    each = rows.get("rows", pd.DataFrame(columns=["method", "case", "cutoff", "curve", "ll", "cover90"]))
    whole = each[each["case"] == "whole"]
    covered = Interval.of_mean(where(whole, method="shipped", cutoff=10)["cover90"].dropna())
    found = {
        "loses_little": gap(whole, "judge", "shipped", 10), "whole_runs": gap(whole, "shipped", "whole", 20),
        "headless": _hole(each, "without the first five"),
        "fifth": _hole(each, "every fifth"), "half": _hole(each, "a random half"),
        "honest": covered, "alarms": _alarm(rows, outside_prior.OWN, 20),
        "alarms_late": _alarm(rows, outside_prior.OWN, 90),
        "diverged": _alarm(rows, "diverges", 60), "not_turned": _alarm(rows, "loss, not turned", 20),
        "overfits": _alarm(rows, "overfits", 90), "futures": _inside(rows),
    }  # fmt: skip
    return [
        Claim(name, question, found[name], needs, unit) for name, (question, needs, unit) in STATED.items()
    ]


def gap(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> Interval | None:
    """The lead of one forecaster over another, paired by curve."""
    return Interval.of_mean(minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll"))


def _hole(each: pd.DataFrame, case: str) -> Interval | None:
    return gap(each[each["case"] == case], "shipped", "whole", SEEN)


def _alarm(rows: Rows, kind: str, cutoff: int) -> Interval | None:
    """The share of these curves with a warning."""
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
