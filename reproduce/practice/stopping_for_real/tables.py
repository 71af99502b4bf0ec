"""Tables: speed-ups, what is spent, what forecasts cost, and the pools."""

import numpy as np
import pandas as pd

from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.scores.regret import NONE
from reproduce._press.where import Rows, where
from reproduce.practice._chosen import (
    ALL,
    OURS,
    PATIENT,
    SIDES,
    SOURCES,
    ahead,
    by_mean_regret,
    faster,
    fastest_patience,
    judged,
    of_source,
    reached,
)
from reproduce.practice.stopping_for_real.pictures import NAMES
from reproduce.protocols.times_sooner import cell, gain

TITLES = SOURCES | {"nothing": "where nothing learns", ALL: "all four"}
FORM = "{} [{}, {}]"  # a value and its interval, as in running text


def tables(rows: Rows, resamples: int) -> Rows:
    found = judged(rows["rows"])
    sources = [source for source in SOURCES if len(of_source(found, source))]
    named = {method: name for method, (name, _) in NAMES.items()}
    return {
        "speed": _speed(found, named, [*sources, ALL], by_mean_regret(found, resamples)),
        "ahead": _ahead(found, named, [*sources, ALL]),
        "patience": _speed(found, {one: one for one in PATIENT}, [*sources, ALL]),
        "settings": _speed(where(rows["rows"], side=TUNING), _settings(rows["rows"]), sources),
        "chosen": _chosen(rows["rows"], sources),
        "spent": _spent(found),
        "overhead": _overhead(rows),
        "pools": _pools(rows["pools"]),
    }


def _speed(
    found: pd.DataFrame, methods: dict[str, str], sources: list[str], regret: dict | None = None
) -> pd.DataFrame:
    """With another measure in the last column."""
    when = {source: reached(found, source) for source in sources}
    return pd.DataFrame([
        {"rule": name} | {TITLES[source]: cell(faster(own, method), FORM) for source, own in when.items()}
        | ({} if regret is None else {"all four, by mean regret": cell(gain(regret, method), FORM)})
        for method, name in methods.items()
    ])  # fmt: skip


def _ahead(found: pd.DataFrame, methods: dict[str, str], sources: list[str]) -> pd.DataFrame:
    """On how many tasks our rule is faster than another, and on how many slower; of all, how many the other never solves."""
    when = {source: own for source in sources if (own := reached(found, source))}
    rivals = {NONE: "never stopping"} | methods
    return pd.DataFrame([
        {"rule": name}
        | {TITLES[s]: ahead(own, OURS, rule) if rule in own and rule != OURS else "–" for s, own in when.items()}
        | {"never there": f"{np.isinf(when[ALL][rule]).sum()} of {len(when[ALL][rule])}" if ALL in when else "–"}
        for rule, name in rivals.items()
    ])  # fmt: skip


def _settings(rows: pd.DataFrame) -> dict[str, str]:
    """The paper's, and the others that were tried."""
    words = {"chance": "δ = {}", "least": "first check after {} epochs"}
    tried = [method for method in rows["method"].unique() if method.split()[0] in words]
    named = {method: words[method.split()[0]].format(method.split()[1]) for method in tried}
    return {"shipped": "δ = 0.05, first check after 2 epochs"} | named


def _chosen(rows: pd.DataFrame, sources: list[str]) -> pd.DataFrame:
    """Which patience is fastest on the tuning set; for a task that is in both sets it is chosen without that task."""
    look = {source: where(rows, source=source, side=TUNING) for source in sources}
    return pd.DataFrame(
        [
            {"source": TITLES[s], "fastest on the tuning set": fastest_patience(own)}
            for s, own in look.items()
            if len(own)
        ]
    )


def _spent(found: pd.DataFrame) -> pd.DataFrame:
    own = where(found, source="nothing")
    names = {NONE: ("never stopping", "none")} | NAMES
    spent = {name: where(own, method=method)["spent"] for method, (name, _) in names.items()}
    return pd.DataFrame([
        {"rule": name, "share of all epochs": f"{100 * share.mean():.0f} %"}
        for name, share in spent.items() if len(share)
    ])  # fmt: skip


def _overhead(rows: Rows) -> pd.DataFrame:
    """On the test set, where each forecast is asked for one chance."""
    own = where(rows["looks"], side=TEST).merge(rows["pools"], on=["source", "side", "task"])
    cells = []
    for method, mine in own.groupby("method", sort=False):
        ms = 1000 * mine["seconds"].sum() / max(1, mine["forecasts"].sum())
        cells.append({
            "rule": NAMES[str(method)][0], "forecasts per run": f"{(mine['forecasts'] / mine['runs']).mean():.1f}",
            "ms per forecast": f"{ms:.1f}", "seconds per task": f"{mine['seconds'].mean():.1f}",
        })  # fmt: skip
    return pd.DataFrame(cells)


def _pools(pools: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame([
        {"source": TITLES[str(source)], "set": SIDES[str(side)], "tasks": f"{len(own)}", "runs": _range(own["runs"]),
         "epochs": _range(own["epochs"]), "left out": f"{own['left_out'].sum()}"}
        for (source, side), own in pools.groupby(["source", "side"], sort=False)
    ])  # fmt: skip


def _range(counts: pd.Series) -> str:
    return f"{counts.min()}" if counts.min() == counts.max() else f"{counts.min()} to {counts.max()}"
