"""Does a pruner that forecasts save epochs in a search with Optuna?

Forty small networks on the digits are tried one after the other, without a pruner and with several; twenty times. With
random settings all pruners get the same networks, so that only the pruners differ.
"""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.intervals import drawn, student
from reproduce.practice.search_with_pruner import searches
from reproduce.practice.search_with_pruner.searches import OURS, PLAIN, PRUNERS, Digits, Networks, Search

NEVER = -1  # the score was not reached
NAMES = {  # of pruners, and their colours
    "none": ("no pruner", "none"),
    "patience": ("Optuna’s patience of ten", "patience"),
    OURS: ("our pruner", "shipped"),
    PLAIN: ("our pruner, not calibrated", "ours"),
    "median": ("median of earlier trials", "last"),
    "Hyperband": ("Hyperband", "rungs"),
    "halving": ("successive halving", "rungs"),
}


@dataclass(frozen=True)
class Config:
    repeats: int = 20
    at_once: int = 5  # repeats in a part
    trials: int = 40
    epochs: int = 40  # of a network that nobody prunes


SCALES = {
    "smoke": Config(repeats=2, at_once=2, trials=12, epochs=5),
    "laptop": Config(repeats=4, at_once=2),
    "paper": Config(),
}
TABLES = {
    "rows": ("repeat", "pruner", "epochs", "pruned", "held", "test", "same", "training", "asking"),
    "looked": ("pruner", "trial", "epoch", "held", "last"),  # of the first search, whole and with our pruner
}
TIMED = True
STOPWATCHES = ("rows.training", "rows.asking")


def parts(config: Config) -> dict[str, dict[str, int]]:
    return {f"random-{start}": {"start": start} for start in range(0, config.repeats, config.at_once)}


def measure(config: Config, start: int) -> Rows:
    lines, looked = [], pd.DataFrame(columns=list(TABLES["looked"]))
    for repeat in range(start, min(start + config.at_once, config.repeats)):
        networks = Networks(repeat)
        asked = (networks, repeat, config.trials, config.epochs)
        results = {name: searches.search(name, *asked) for name in PRUNERS}
        best = float(results["none"].epochs["held"].max())
        lines += [{"repeat": repeat, "pruner": name} | _row(one, best) for name, one in results.items()]
        if repeat == 0:
            looked = pd.concat([_looked(name, results[name]) for name in ("none", OURS)], ignore_index=True)
    return {"rows": pd.DataFrame(lines, columns=list(TABLES["rows"])), "looked": looked}


def _row(one: Search, best: float) -> dict[str, float]:
    """The score of a search is what Optuna calls best_value: a pruned trial has none, however good it was."""
    trained = one.epochs
    complete = trained[~trained["trial"].map(dict(enumerate(one.pruned)))]
    chosen = complete.loc[complete["held"].idxmax()] if len(complete) else {"held": 0.0, "test": 0.0}
    reached = complete.loc[complete["held"] >= best, "trial"]
    return {
        "epochs": len(trained), "pruned": sum(one.pruned), "held": round(chosen["held"], 5), "test": round(chosen["test"], 5),
        # epochs until a complete trial has the final score of the search without a pruner; -1: never
        "same": int((trained["trial"] <= reached.iloc[0]).sum()) if len(reached) else NEVER,
        "training": round(trained["training"].sum(), 3), "asking": round(trained["asking"].sum(), 3),
    }  # fmt: skip


def _looked(name: str, one: Search) -> pd.DataFrame:
    last = one.epochs.groupby("trial")["epoch"].transform("max")
    told = one.epochs.assign(pruner=name, last=one.epochs["epoch"] == last).round({"held": 4})
    return told[list(TABLES["looked"])].astype({"last": int})


def estimates(rows: Rows) -> Estimates:
    """{(pruner, column of rows): epochs, or those to the same score, over all of a search without one; further errors of the
    network that it finds, held out or in the test, in pictures; ("pruners", "searches", pruner): how many}, and three
    comparisons by the names of their claims."""
    searched, found = rows["rows"], dict[Any, Interval | None]()
    for pruner in NAMES:
        found["pruners", "searches", pruner] = Interval.exactly(len(where(searched, pruner=pruner)))
        found[pruner, "epochs"] = against(searched, pruner, "none", "epochs")
        found[pruner, "same"] = cost_of_the_same(searched, pruner)
        found |= {(pruner, what): further_errors(searched, what, pruner) for what in ("held", "test")}
    patience = against(searched, OURS, "patience", "epochs")
    saved = paired(searched, "none", "training") - paired(searched, OURS, "training")
    asked = ratio(paired(searched, OURS, "asking"), saved)
    return there(found) | there({
        "beats_median": further_errors(searched, "held", "median", OURS),
        "beats_patience": patience and patience.inverse(),
        "seconds": asked and asked.inverse(),  # of training that our pruner saves, over those that its forecasts take
    })  # fmt: skip


def paired(found: pd.DataFrame, pruner: str, what: str) -> pd.Series:
    """By repeat."""
    return where(found, pruner=pruner).set_index("repeat")[what].sort_index()


def against(found: pd.DataFrame, mine: str, other: str, what: str) -> Interval | None:
    """What one pruner takes, over what another takes."""
    return ratio(paired(found, mine, what), paired(found, other, what))


def further_errors(found: pd.DataFrame, what: str, mine: str, than: str = "none") -> Interval | None:
    """By the network that a search with one pruner finds, in pictures, than by that of another."""
    return Interval.of_mean(pictures(what) * (paired(found, than, what) - paired(found, mine, what)))


def pictures(what: str) -> int:
    """How many there are to err in, held out or in the test."""
    return len(getattr(Digits.drawn(0), what)[1])


def cost_of_the_same(found: pd.DataFrame, mine: str) -> Interval | None:
    """Epochs until the final score of the search without a pruner is reached, over those of that search.

    A search that never reaches it was made in vain, so the epochs of the search without a pruner are added.
    """
    own, whole = paired(found, mine, "same"), paired(found, "none", "same")
    cost = own.where(own != NEVER, paired(found, mine, "epochs") + whole)
    return ratio(cost, whole)


def ratio(above: pd.Series, below: pd.Series) -> Interval | None:
    """Of totals, by Fieller's theorem: all r for which above - r * below may be 0 on average. None where below may be."""
    if (n := len(above)) < 2:
        return None
    (a, both), (_, b) = np.cov(above, below) * student(n) ** 2 / n
    x, y = above.mean(), below.mean()
    if y**2 <= b:
        return None
    middle = (x * y - both) / (y**2 - b)
    found = Interval.around(middle, max(0, middle**2 - (x**2 - a) / (y**2 - b)) ** 0.5)
    return Interval(x / y, found.low, found.high, drawn(above))


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return {"looked": _first_search(rows["looked"], config.epochs), "pruners": _pruners(rows["rows"])}


def _first_search(lines: pd.DataFrame, epochs: int) -> Figure:
    """Each network a line; a dot where it was stopped."""
    figure, axes = plt.subplots(1, 2, figsize=(8.6, 3.4), sharey=True)
    for axis, pruner in zip(axes, ("none", OURS), strict=True):
        rows = where(lines, pruner=pruner)
        title, styled = NAMES[pruner]
        for _, own in rows.groupby("trial"):
            axis.plot(own["epoch"], own["held"], color=style.colour(styled), linewidth=0.8, alpha=0.7)
        ends = rows[(rows["last"] == 1) & (rows["epoch"] < epochs)]
        axis.plot(ends["epoch"], ends["held"], "o", color=style.colour(styled), markersize=3.5)
        axis.set(title=f"{title}: {len(rows):,} epochs", xlabel="epoch of a network")
        axis.set(xlim=(0, epochs), ylim=(0, 1))
    axes[0].set_ylabel("held-out accuracy")
    return figure


def _pruners(rows: pd.DataFrame) -> Figure:
    """Each small dot is a search, each large one the mean of all."""
    figure, (saved, lost) = plt.subplots(1, 2, figsize=(8.6, 2.6), sharey=True)
    held = pictures("held")
    for place, (pruner, (_, styled)) in enumerate(NAMES.items()):
        share = 100 * paired(rows, pruner, "epochs") / paired(rows, "none", "epochs")
        fewer = held * (paired(rows, "none", "held") - paired(rows, pruner, "held"))
        for axis, values in ((saved, share), (lost, fewer)):
            axis.plot(values, [place] * len(values), "o", color=style.colour(styled), markersize=4, alpha=0.3)
            axis.plot(values.mean(), place, "o", color=style.colour(styled), markersize=8)
    saved.set_yticks(range(len(NAMES)), [title for title, _ in NAMES.values()])
    saved.invert_yaxis()
    saved.set(xlabel="epochs trained, % (lower is better)", xlim=(0, 105))
    lost.set(xlabel=f"further errors in {held} pictures (lower is better)")
    return figure


def tabulate(rows: Rows, found: Estimates) -> Rows:
    """A line for each pruner."""
    lines = []
    for pruner, (title, _) in NAMES.items():
        own = where(rows["rows"], pruner=pruner)
        lines.append({
            "pruner": title, "searches": str(len(own)),
            "epochs, % of all": _cell(found.get((pruner, "epochs")), ".0f", 100),
            "epochs to the same score, %": _cell(found.get((pruner, "same")), ".0f", 100),
            "reached the score": f"{(own['same'] != NEVER).sum()} of {len(own)}",
            "further errors, held out": _cell(found.get((pruner, "held")), ".1f"),
            "further errors, test": _cell(found.get((pruner, "test")), ".1f"),
            "training, s": f"{own['training'].mean():.1f}",
            "forecasting, s": f"{own['asking'].mean():.1f}",
        })  # fmt: skip
    return {"pruners": pd.DataFrame(lines)}


def _cell(found: Interval | None, form: str, times: float = 1) -> str:
    """Without an interval where every search is the same, as that without a pruner is beside itself."""
    if found is None:
        return "…"
    shown = found.times(times)
    return shown.in_brackets(form) if shown.high > shown.low else f"{shown.value:{form}}"


def claims() -> list[Claim]:
    accurate = "is the network found with our pruner about as accurate as the network found without a pruner?"
    return [
        Claim("all_epochs", "Does a search with our pruner train only a small share of the epochs of a search without one?",
              (OURS, "epochs"), AtMost(0.5), "%"),
        Claim("held_out", f"On {pictures('held')} held-out pictures, {accurate}",
              (OURS, "held"), AtMost(1), "pictures"),
        Claim("beats_median", "On held-out pictures, does our pruner find a better network than Optuna’s median pruner?",
              "beats_median", Above(0), "pictures"),
        Claim("beats_patience", "Does our pruner train fewer epochs than Optuna’s patience pruner?",
              "beats_patience", Above(1), "×"),
        Claim("seconds", "Does our pruner save more training time than its forecasts take?",
              "seconds", Above(1), "×"),
    ]  # fmt: skip
