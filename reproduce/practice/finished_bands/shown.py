"""What finished runs buy: a figure, tables and claims. Runs of a task are not independent, nor are tasks of a source."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice.finished_bands import chosen

SCORES = ("in90", "in50", "width", "log_ratio")
UP = {"in90": "coverage\n(0.9 is right)", "log_ratio": "relative CRPS\n(lower is better)"}
SOURCES = {
    "adabelief": "AdaBelief", "algoperf": "AlgoPerf", "deepobs": "DeepOBS", "lcdb11": "LCDB 1.1",
    "nanogpt": "modded-nanogpt", "pythia": "Pythia", "taskset": "TaskSet",
}  # fmt: skip


def by_task(rows: pd.DataFrame, who: str = "any run", whom: str = "any run") -> pd.DataFrame:
    """Mean over the observed shares: a line for each task and number of finished runs; 0 runs belong to any `who`."""
    rows = rows[(rows["whom"] == whom) & ((rows["who"] == who) | (rows["finished"] == 0))]
    rows = rows.assign(log_ratio=np.log(rows["ratio"]))
    return rows.groupby(["source", "task", "finished"], sort=False)[list(SCORES)].mean().reset_index()


def picture(rows: pd.DataFrame) -> Figure:
    found = by_task(rows)
    sources = list(dict.fromkeys(found["source"]))
    figure, axes = plt.subplots(
        2, len(sources), figsize=(1 + 1.25 * len(sources), 4), sharex=True, sharey="row", squeeze=False, layout="constrained"
    )  # fmt: skip
    for column, source in enumerate(sources):
        for ax, score in zip(axes[:, column], UP, strict=True):
            _panel(ax, where(found, source=source), score)
        axes[0, column].set_title(SOURCES[source], fontsize=9)
    for ax, words in zip(axes[:, 0], UP.values(), strict=True):
        ax.set_ylabel(words)
    axes[0, 0].set_ylim(0.6, 1.02)
    axes[1, 0].set_yticks(np.log([0.6, 0.7, 0.8, 0.9, 1, 1.1]), ["0.6", "0.7", "0.8", "0.9", "1", "1.1"])
    figure.supxlabel("finished runs of the same task", fontsize=10)
    return figure


def _panel(ax: Axes, found: pd.DataFrame, score: str) -> None:
    """A faint line for each task, a strong one for their mean."""
    counts = sorted(found["finished"].unique())
    place = {count: i for i, count in enumerate((0, 2, 5, 10, 20, 50))}
    if score == "in90":
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
    else:
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
    colour, means = style.colour("shipped"), found.groupby("finished")[score].mean()
    for _, own in found.groupby("task"):
        ax.plot([place[n] for n in own["finished"]], own[score], color=colour, alpha=0.25, linewidth=0.7)
    ax.plot([place[n] for n in counts], means, color=colour, marker="o", markersize=3, linewidth=1.5)
    ax.set_xticks(list(place.values()), [str(n) for n in place], fontsize=7.5)


def tables(rows: Rows) -> Rows:
    made = {"draws": chosen.table(rows["draws"])} if "draws" in rows else {}
    if "rows" in rows:
        made |= {"bands": _bands(rows["rows"]), "by_source": _by_source(rows["rows"]), "pruned": _pruned(rows["rows"]),
                 "seen": _by_seen(rows["rows"])}  # fmt: skip
    if "tasks" in rows:
        made["tasks"] = _tasks(rows["tasks"])
    return made


def _cells(own: pd.DataFrame) -> dict[str, str]:
    """Means over tasks; ± is half of the 95 % interval over tasks."""
    in90, in50, ratio = (_over_tasks(own, score) for score in ("in90", "in50", "log_ratio"))
    return {
        "tasks": f"{own['task'].nunique()}",
        "coverage, 90 % interval": _per_cent(in90),
        "sources alike": f"{100 * own.groupby('source')['in90'].mean().mean():.1f} %",
        "coverage, 50 % interval": _per_cent(in50),
        "relative width": f"{own['width'].median():.2f}",
        "relative CRPS": "–" if ratio is None else f"{np.exp(ratio.value):.2f}",
        "tasks with 85–95 % coverage": f"{(own['in90'].between(0.85, 0.95)).mean():.0%}".replace("%", " %"),
    }  # fmt: skip


def _per_cent(found: Interval | None) -> str:
    if found is None:
        return "–"
    return Interval(*(100 * end for end in found)).plus_minus(".1f") + " %"


def _over_tasks(own: pd.DataFrame, score: str) -> Interval | None:
    """Tasks are resampled; a single one has a value, but no interval."""
    if own.empty:
        return None
    found = Interval.over_clusters(own[score], own["source"] + own["task"])
    return found or Interval(float(own[score].mean()), np.nan, np.nan)


def _bands(rows: pd.DataFrame) -> pd.DataFrame:
    found = by_task(rows)
    return pd.DataFrame([{"finished runs": str(n)} | _cells(own) for n, own in found.groupby("finished")])


def _by_source(rows: pd.DataFrame) -> pd.DataFrame:
    found = by_task(rows)
    lines = []
    for source, own in found.groupby("source", sort=False):
        line = {"source": SOURCES[source], "tasks": f"{own['task'].nunique()}"}
        for n in sorted(found["finished"].unique()):
            some = own[own["finished"] == n]
            held, crps = f"{100 * some['in90'].mean():.0f} %", f"{np.exp(some['log_ratio'].mean()):.2f}"
            line[f"{n}"] = "–" if some.empty else held if n == 0 else f"{held}, {crps}"
        lines.append(line)
    return pd.DataFrame(lines)


def _by_seen(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for seen, own in rows.groupby("seen"):
        found = by_task(own)
        line = {"observed": f"{seen} %"}
        for n, some in found.groupby("finished"):
            line[f"{n}"] = f"{100 * some['in90'].mean():.0f} %" + (
                "" if n == 0 else f", {np.exp(some['log_ratio'].mean()):.2f}"
            )
        lines.append(line)
    return pd.DataFrame(lines)


def _pruned(rows: pd.DataFrame) -> pd.DataFrame:
    """Which runs had finished and which are forecast, on the tasks that have enough survivors."""
    counts = sorted(set(rows[rows["who"] == "survivors"]["finished"]))
    lines = []
    for n in counts:
        there = set(rows[(rows["who"] == "survivors") & (rows["finished"] == n)]["task"])
        for whom in ("any run", "survivors"):
            for who in ("nobody", "any run", "survivors"):
                found = by_task(rows, "any run" if who == "nobody" else who, whom)
                own = found[found["task"].isin(there) & (found["finished"] == (0 if who == "nobody" else n))]
                lines.append(
                    {"finished": "none" if who == "nobody" else f"{n}: {who}", "forecast": whom} | _cells(own)
                )
    return pd.DataFrame(lines).drop_duplicates() if lines else pd.DataFrame()


def _tasks(tasks: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for source, own in tasks.groupby("source", sort=False):
        judged = own[own["side"] == TEST]["runs"]
        lines.append({
            "source": SOURCES[source], "tasks, tuning set": f"{len(own) - len(judged)}", "tasks, test set": f"{len(judged)}",
            "runs per task": f"{judged.min()} to {judged.max()}", "licence": own["licence"].iloc[0],
        })  # fmt: skip
    return pd.DataFrame(lines)


def claims(rows: pd.DataFrame | None) -> list[Claim]:
    found = None if rows is None else by_task(rows)
    pruned = None if rows is None else by_task(rows, who="survivors")
    alive = None if rows is None else by_task(rows, who="survivors", whom="survivors")
    covers = "does the 90 % interval of the released model have about the coverage it states, on average over sources?"
    right, close = Between(0.85, 0.95), Between(0.88, 0.92)
    survivors = "If only survivors of successive halving have finished, does the 90 % interval"
    return [
        Claim("five_hold", f"With five finished runs of the same task, {covers}", _held(found, 5), right, "%"),
        Claim("twenty_hold", f"With twenty finished runs of the same task, {covers}", _held(found, 20), close, "%"),
        *(Claim(f"{word}_crps", f"Do {word} finished runs of the same task lower the CRPS of the released model, on average "
                "over sources?", _lower(found, n), AtLeast(1), "×") for word, n in (("five", 5), ("twenty", 20))),
        Claim("five_nearer", "Do five finished runs of the same task bring the coverage of the 90 % interval nearer to "
              "nominal, on average over sources?", _nearer(found, 5), Above(0), "points"),
        Claim("pruned_any", f"{survivors} cover enough of any run?", _held(pruned, 5), AtLeast(0.85), "%"),
        Claim("pruned_alive", f"{survivors} have about the coverage it states on runs that would survive?",
              _held(alive, 5), right, "%"),
    ]  # fmt: skip


def _held(found: pd.DataFrame | None, count: int) -> Interval | None:
    return None if found is None else _over_sources(found[found["finished"] == count], "in90")


def _nearer(found: pd.DataFrame | None, count: int) -> Interval | None:
    """By how many points, in the mean of a source, than without finished runs."""
    if found is None:
        return None
    off = 100 * (found.groupby(["finished", "source"])["in90"].mean() - 0.9).abs()
    there = {0, count} <= set(found["finished"])
    return Interval.of_mean((off[0] - off[count]).dropna()) if there else None


def _over_sources(own: pd.DataFrame, score: str) -> Interval | None:
    """Each source counts once, whatever its number of tasks."""
    return Interval.of_mean(own.groupby("source")[score].mean())


def _lower(found: pd.DataFrame | None, count: int) -> Interval | None:
    """By how many times: the CRPS without finished runs over the CRPS with them."""
    logs = None if found is None else _over_sources(found[found["finished"] == count], "log_ratio")
    return logs and logs.negated().exp()
