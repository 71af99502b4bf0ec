"""Does the warning come before a forecast fails? How odd a beginning was, beside what its band held afterwards.

A forecast fails badly if its 90 % band holds less than half of what comes.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from curvecast.forecasting import belief, shipped
from curvecast.forecasting.forecast import RARE
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.new_data import _cells
from reproduce.new_data._cells import OURS
from reproduce.protocols.real_curve import SHARES, Trial

CHANCES = ("row", "curve", "seen", "chance")  # share of the network's own training curves that look as odd
BADLY = 0.5  # held by the 90 % band


def chances(trials: Sequence[Trial]) -> pd.DataFrame:
    """Of each beginning of two points or more: curve, seen, chance."""
    network, table = shipped.load()
    asked = [
        (curve, share, one.cutoff(share))
        for share in SHARES
        for curve, one in enumerate(trials)
        if one.cutoff(share) >= 2
    ]
    runs = [(np.arange(1.0, cutoff + 1), trials[curve].seen[:cutoff]) for curve, _, cutoff in asked]
    odd = belief.oddness(network, runs).tolist() if runs else []
    told = [
        (curve, share, float(f"{belief.in_prior(table, cutoff, score):.3g}"))
        for (curve, share, cutoff), score in zip(asked, odd, strict=True)
    ]
    return pd.DataFrame(told, columns=["curve", "seen", "chance"])


def judged(rows: Rows) -> pd.DataFrame:
    """A line for each forecast of the network that ships: did its band fail badly, and was it warned of?"""
    found = _cells.each(rows)
    if found.empty or "warned" not in rows or not (found["method"] == OURS).any():
        return pd.DataFrame()
    both = where(found, method=OURS).merge(rows["warned"][list(CHANCES)], on=["row", "curve", "seen"])
    return both.assign(failed=both["in90"] < BADLY, warned=both["chance"] < RARE)


def tables(rows: Rows, titles: dict[str, str]) -> Rows:
    if (found := judged(rows)).empty:
        return {}
    return {"warned": pd.DataFrame([
        {"row": title, "forecasts": f"{len(own)}", "whose band failed badly": f"{own['failed'].sum()}",
         "warned of, of these": f"{own[own['failed']]['warned'].sum()}",
         "warned of, of the others": f"{own[~own['failed']]['warned'].sum()}"}
        for row, title in titles.items()
        if len(own := where(found, row=row))
    ])}  # fmt: skip


def claims(rows: Rows) -> list[Claim]:
    found = judged(rows)
    return [
        claim("warns_of_failures", "Of the forecasts whose 90 % band holds less than half of what comes, a warning names "
              "at least half: {value:.0%}.", _share(found, failed=True), ">= 0.5"),
        claim("false_alarms", "Of the other forecasts it warns of at most 5 %: {value:.1%}.",
              _share(found, failed=False), "<= 0.05"),
    ]  # fmt: skip


def _share(found: pd.DataFrame, failed: bool) -> Interval | None:
    if found.empty or not len(own := found[found["failed"] == failed]):
        return None
    return Interval.over_clusters(own["warned"].astype(float), own["group"])
