"""What do several passes over a table bring, and what do missing and coarse cells cost?

Each pass reads the table with other names of the classes, and half of them after a power transform of its columns; the
mean of their probabilities is the forecast. Missing cells are tried with two networks of one budget: one has a mask as
input and was trained on tables with holes, the other imputes the mean of the column and was not.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from curvecast.tables.classifier import TableClassifier
from curvecast.tables.network import TableNetworkConfig
from curvecast.tables.training import TableTraining, training
from curvecast.training.train import trained, weights_path
from reproduce._press import estimates, style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.pictures.panels import around, legend, panels, ticks
from reproduce.priors import _rivals, _tables
from reproduce.priors._tables import CONTEST, Array, Split
from reproduce.protocols.timing import core_seconds, threads

NEAR = 0.01  # of the area under the ROC curve
MASK, IMPUTED, FOREST, BOOSTING = "mask", "imputed", "forest", "boosting"
TITLES = {
    MASK: "network with a mask", IMPUTED: "network that imputes the mean", FOREST: "random forest",
    BOOSTING: "histogram gradient boosting",
}  # fmt: skip
COLOURS = {MASK: "shipped", IMPUTED: "old", FOREST: "rungs", BOOSTING: "recurrent"}
MISSING, COARSE = "missing", "coarse"
DAMAGES = {MISSING: "share of cells that are missing", COARSE: "share of cells on three levels"}
TABLES = {
    "passes": (
        "table",
        "split",
        "passes",
        "log_loss",
        "auc",
        "alone",
        "seconds",
    ),  # alone: mean of single ones
    "damaged": ("table", "split", "damage", "share", "method", "auc", "log_loss"),
}
STOPWATCHES = ("passes.seconds",)
LOOSE = (0.05, "a training that adds in another order ends in a slightly different network")
TOLERANCES = dict.fromkeys(
    ("passes.log_loss", "passes.auc", "passes.alone", "damaged.auc", "damaged.log_loss"), LOOSE
)
LABEL_FREE = {"passes_help": "passes are counted by a number, and all tables count alike"}
NOT_AT_SMOKE_SCALE = dict.fromkeys(("tables", "parts"), "each table is a second, and all are read alike")


@dataclass(frozen=True)
class Config:
    network: TableTraining  # of the passes
    mask: TableTraining
    imputed: TableTraining
    tables: tuple[str, ...] = tuple(_tables.TABLES)
    splits: int = 2
    passes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    shares: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4, 0.6)
    passes_damaged: int = 4


def pair(
    tables: int, width: int, layers: int, heads: int, **more: Any
) -> tuple[TableTraining, TableTraining]:
    """Of one budget: told which cells are missing, and not."""
    told, not_told = (TableNetworkConfig(width, layers, heads, mask) for mask in (True, False))
    return training(tables, told, **more), training(tables, not_told, **more)


TINY, SMALL = pair(64, 8, 1, 1, queries=8), pair(3_200, 48, 2, 2)
SCALES = {
    "smoke": Config(TINY[0], *TINY, ("iris",), 1, (1, 2), (0.0, 0.4), 1),
    "laptop": Config(
        training(12_000, TableNetworkConfig(48, 2, 2)), *SMALL, _tables.FEW, 1, (1, 2, 4, 8), (0.0, 0.2, 0.4), 2
    ),
    "paper": Config(training(200_000, TableNetworkConfig()), *pair(16_000, 48, 3, 2)),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    return [_tables.part(name) for name in config.tables]


def measure(config: Config, part: str) -> Rows:
    name = _tables.of_part(config.tables, part)
    for network in (config.network, config.mask, config.imputed):
        trained(network)
    splits = list(_tables.splits(name, CONTEST, config.splits))
    with threads():
        passes = [one for number, split in splits for one in _passes(config, split, number)]
        damaged = [one for number, split in splits for one in _damaged(config, split, number)]
    return {
        "passes": pd.DataFrame(passes).assign(table=name),
        "damaged": pd.DataFrame(damaged).assign(table=name),
    }


def _network(config: TableTraining, passes: int, seed: int) -> TableClassifier:
    return TableClassifier(passes, str(weights_path(config)), seed)


def _passes(config: Config, split: Split, number: int) -> Iterator[dict[str, Any]]:
    for count in config.passes:
        found: list[Array] = []

        def work(count: int = count, found: list[Array] = found) -> None:
            ours = _network(config.network, count, number).fit(split.x, split.y)
            found.append(ours.probabilities_of_passes(split.x_test))

        seconds = core_seconds(work)
        p = found[0]
        scores = _tables.scores(p.mean(0), split.y_test)
        alone = float(np.mean([_tables.log_loss(one, split.y_test) for one in p]))
        line = {"split": number, "passes": count, "alone": alone, "seconds": seconds}
        yield line | {name: scores[name] for name in ("log_loss", "auc")}


def _damaged(config: Config, split: Split, number: int) -> Iterator[dict[str, Any]]:
    classifiers = {
        MASK: partial(_network, config.mask, config.passes_damaged, number),
        IMPUTED: partial(_network, config.imputed, config.passes_damaged, number),
        FOREST: partial(RandomForestClassifier, random_state=number),
        BOOSTING: partial(HistGradientBoostingClassifier, min_samples_leaf=5, random_state=number),
    }
    for damage in DAMAGES:
        for share in config.shares:
            if share == 0 and damage == COARSE:
                continue  # the same tables as without missing cells
            x, x_test = damaged(split, damage, share, np.random.default_rng(number))
            for method, make in classifiers.items():
                p = _rivals.predicted(make(), x, split.y, x_test, int(split.y.max()) + 1)
                scores = _tables.scores(p, split.y_test)
                line = {"split": number, "damage": damage, "share": share, "method": method}
                yield line | {name: scores[name] for name in ("auc", "log_loss")}


def damaged(split: Split, damage: str, share: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Training and test rows (n, F), of whose cells this share is NaN, or the middle of its third of the training rows."""
    low, middle, high = np.quantile(split.x, [1 / 6, 1 / 2, 5 / 6], axis=0)
    bounds = np.quantile(split.x, [1 / 3, 2 / 3], axis=0)
    made = []
    for x in (split.x, split.x_test):
        coarse = np.where(x < bounds[0], low, np.where(x < bounds[1], middle, high))
        made.append(np.where(rng.random(x.shape) < share, np.nan if damage == MISSING else coarse, x))
    return made[0], made[1]


# ------------------------------------------------------------------------------------------------- estimates


def of_passes(passes: pd.DataFrame, value: str) -> Estimates:
    """Keys (passes): over tables."""
    return estimates.by_mean(_tables.by_table(passes, ["passes"], value), "passes", value)


def gain_of_passes(passes: pd.DataFrame) -> Interval | None:
    """By what the largest ensemble lowers the log-loss of the first pass, over tables."""
    means = _tables.by_table(passes, ["passes"], "log_loss")
    lead = estimates.leads(means, "passes", 1, "log_loss", "table").get(passes["passes"].max())
    return lead and lead.negated()


def of_damage(rows: pd.DataFrame, value: str = "auc") -> Estimates:
    """Keys (damage, method, share): over tables."""
    return _tables.over_tables(_whole(rows), ["damage", "method", "share"], value)


def lead_of(rows: pd.DataFrame, over: str, damage: str, value: str = "auc") -> Estimates:
    """Keys (share): what the network with a mask has above another method, over tables."""
    means = _tables.by_table(where(_whole(rows), damage=damage), ["method", "share"], value)
    found = {
        share: estimates.leads(own, "method", over, value, "table").get(MASK)
        for share, own in means.groupby("share")
    }
    return estimates.there(found)


def _whole(rows: pd.DataFrame) -> pd.DataFrame:
    """Whole tables begin both kinds of damage."""
    return pd.concat([rows, where(rows, share=0.0).assign(damage=COARSE)]) if len(rows) else rows


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {"passes": _draw_passes(rows["passes"]), "damaged": _draw_damaged(rows["damaged"])}


def _draw_passes(passes: pd.DataFrame) -> Figure:
    figure, (left, right) = panels(["log-loss (nats)", "seconds to fit and forecast"], (8.4, 3.4))
    for value, title, colour in (
        ("log_loss", "mean of the passes", "shipped"),
        ("alone", "one of them, on average", "steps"),
    ):
        found = of_passes(passes, value)
        left.plot(
            [*found], [one.value for one in found.values()], "o-", color=style.colour(colour), label=title
        )
    found = of_passes(passes, "seconds")
    right.plot([*found], [one.value for one in found.values()], "o-", color=style.colour("shipped"))
    for axis in (left, right):
        axis.set_xscale("log")
        ticks(axis, found)
    legend(figure, [left])
    around(figure, "passes")
    return figure


def _draw_damaged(rows: pd.DataFrame) -> Figure:
    figure, axes = panels(DAMAGES.values(), (8.4, 3.6), sharey=True)
    for axis, damage in zip(axes, DAMAGES, strict=True):
        for place, (method, title) in enumerate(TITLES.items()):
            found = estimates.those_of(estimates.those_of(of_damage(rows), damage), method)
            # bars would hide one another
            beside = {share + 0.006 * place: found[share] for share in sorted(found)}
            colour = style.colour(COLOURS[method])
            estimates.line(axis, beside, elinewidth=0.8, color=colour, label=title, marker="o", markersize=4)
    legend(figure, axes, 2)
    around(figure, "", "area under the ROC curve")
    return figure


def tabulate(rows: Rows) -> Rows:
    counts = {count: f"{count}" for count in sorted(set(rows["passes"]["passes"]))}
    lines = {
        "log_loss": "log-loss of the mean",
        "alone": "mean log-loss of single passes",
        "auc": "AUC of the mean",
        "seconds": "seconds",
    }
    found = {
        (value, count): one for value in lines for count, one in of_passes(rows["passes"], value).items()
    }
    shares = {share: f"{100 * share:.0f} %" for share in sorted(set(rows["damaged"]["share"]))}
    tables = {"passes": estimates.table(found, "passes", lines, counts, ".4f")}
    for damage in DAMAGES:
        for value in ("auc", "log_loss"):
            of_value = estimates.those_of(of_damage(rows["damaged"], value), damage)
            tables[f"{damage}_{value}"] = estimates.table(of_value, "method", TITLES, shares, ".3f")
    return tables


def claims(rows: Rows, config: Config) -> list[Claim]:
    """Over tables."""
    most = config.shares[-1]
    return [
        Claim("passes_help", "Is the log-loss of an ensemble of many passes below that of the first pass, mean over tables?",
              gain_of_passes(rows["passes"]), Above(0), "nats"),
        Claim("mask_helps_when_missing",
              "Where most cells are missing, is the AUC of this network with a mask above that of one that imputes the mean?",
              lead_of(rows["damaged"], IMPUTED, MISSING).get(most), Above(0)),
        Claim("mask_beats_forest_when_missing",
              "Where most cells are missing, is the AUC of this network with a mask above that of a random forest?",
              lead_of(rows["damaged"], FOREST, MISSING).get(most), Above(0)),
        Claim("coarse_cells_cost_no_more",
              "Do cells on three levels cost the network no more AUC than they cost a random forest?",
              _change_of_lead(rows["damaged"], most), AtLeast(-NEAR)),
    ]  # fmt: skip


def _change_of_lead(rows: pd.DataFrame, share: float) -> Interval | None:
    """What the lead over the forest becomes by this share of coarse cells."""
    means = _tables.by_table(where(_whole(rows), damage=COARSE), ["method", "share"], "auc")
    table = means.pivot_table(index="table", columns=["method", "share"], values="auc")
    needed = [(method, s) for method in (MASK, FOREST) for s in (share, 0.0)]
    if not set(needed) <= set(table):
        return None
    after, before, forest_after, forest_before = (table[key] for key in needed)
    return Interval.of_mean((after - before) - (forest_after - forest_before))
