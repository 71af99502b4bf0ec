"""Does a pruner that forecasts save epochs in a search with Optuna?

Forty small networks on the digits are tried one after the other, without a pruner and with several; twenty times. With
random settings all pruners get the same networks, so that only the pruners differ.
"""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice.search_with_pruner import shown
from reproduce.practice.search_with_pruner.compared import (
    OURS,
    PLAIN,
    against,
    cost_of_the_same,
    paired,
    ratio,
)
from reproduce.practice.search_with_pruner.networks import Digits, Networks
from reproduce.practice.search_with_pruner.searches import PRUNERS, Search, search

TABLES = {
    "rows": ("sampler", "repeat", "pruner", "epochs", "pruned", "held", "test", "same", "training", "asking"),
    "looked": ("pruner", "trial", "epoch", "held", "last"),  # of the first search, whole and with our pruner
}
STOPWATCHES = ("rows.training", "rows.asking")


@dataclass(frozen=True)
class Config:
    samplers: tuple[str, ...] = ("random",)
    repeats: int = 20
    at_once: int = 5  # repeats in a part
    trials: int = 40
    epochs: int = 40  # of a network that nobody prunes


SCALES = {
    "smoke": Config(("random", "TPE"), repeats=2, at_once=2, trials=12, epochs=5),
    "laptop": Config(repeats=4, at_once=2),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    starts = range(0, config.repeats, config.at_once)
    return [f"{sampler}-{start}" for sampler in config.samplers for start in starts]


def measure(config: Config, part: str) -> Rows:
    sampler, start = part.split("-")
    lines, looked = [], pd.DataFrame(columns=list(TABLES["looked"]))
    for repeat in range(int(start), min(int(start) + config.at_once, config.repeats)):
        networks = Networks(repeat)
        found = {
            name: search(sampler, name, networks, repeat, config.trials, config.epochs) for name in PRUNERS
        }
        best = float(found["none"].epochs["held"].max())
        about = {"sampler": sampler, "repeat": repeat}
        lines += [about | {"pruner": name} | _row(one, best) for name, one in found.items()]
        if part == parts(config)[0] and repeat == 0:
            looked = pd.concat([_looked(name, found[name]) for name in ("none", OURS)], ignore_index=True)
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
        "same": int((trained["trial"] <= reached.iloc[0]).sum()) if len(reached) else -1,
        "training": round(trained["training"].sum(), 3), "asking": round(trained["asking"].sum(), 3),
    }  # fmt: skip


def _looked(name: str, one: Search) -> pd.DataFrame:
    last = one.epochs.groupby("trial")["epoch"].transform("max")
    told = one.epochs.assign(pruner=name, last=one.epochs["epoch"] == last).round({"held": 4})
    return told[list(TABLES["looked"])].astype({"last": int})


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    return shown.figures(rows, config.epochs)


def tabulate(rows: Rows) -> Rows:
    return shown.tables(rows["rows"])


def claims(rows: Rows) -> list[Claim]:
    found = where(rows["rows"], sampler="random")
    held, test = (len(part[1]) for part in (Digits.drawn(0).held, Digits.drawn(0).test))
    few = (
        "does a search with our pruner reach the final score of a search without one after only a small share of the epochs "
        "that the other search needs to reach it?"
    )
    accurate = "is the network found with our pruner about as accurate as the network found without a pruner?"
    fewer = "Does our pruner train fewer epochs"
    patience, plain = (against(found, OURS, other, "epochs") for other in ("patience", PLAIN))
    return [
        Claim("same_score", f"With default settings, {few}", cost_of_the_same(found, OURS), AtMost(0.5), "%"),
        Claim("same_score_not_calibrated", f"Without calibration on complete trials, {few}",
              cost_of_the_same(found, PLAIN), AtMost(0.5), "%"),
        Claim("all_epochs", "Does a search with our pruner train only a small share of the epochs of a search without one?",
              against(found, OURS, "none", "epochs"), AtMost(0.5), "%"),
        Claim("held_out", f"On {held} held-out pictures, {accurate}", _fewer(found, "held", held), AtMost(1), "pictures"),
        Claim("test", f"On {test} pictures that the search never used, {accurate}",
              _fewer(found, "test", test), AtMost(1), "pictures"),
        Claim("beats_median", "On held-out pictures, does our pruner find a better network than Optuna’s median pruner?",
              _fewer(found, "held", held, "median", OURS), Above(0), "pictures"),
        Claim("beats_patience", f"{fewer} than Optuna’s patience pruner?",
              patience and patience.inverse(), Above(1), "×"),
        Claim("calibrating_saves", f"{fewer} with calibration on complete trials than without?",
              plain and plain.inverse(), Above(1), "×"),
        Claim("seconds", "Does our pruner save more training time than its forecasts take?", _seconds(found), Above(1), "×"),
    ]  # fmt: skip


def _fewer(
    found: pd.DataFrame, what: str, pictures: int, mine: str = OURS, than: str = "none"
) -> Interval | None:
    return Interval.of_mean(pictures * (paired(found, than, what) - paired(found, mine, what)))


def _seconds(found: pd.DataFrame) -> Interval | None:
    saved = paired(found, "none", "training") - paired(found, OURS, "training")
    share = ratio(paired(found, OURS, "asking"), saved)
    return share and share.inverse()
