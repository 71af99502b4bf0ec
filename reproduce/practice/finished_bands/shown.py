"""What finished runs buy: a picture, tables and claims, from rows of tasks. A task is the unit: its runs hang together."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST
from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice.finished_bands import chosen

SCORES = ("in90", "in50", "width", "log_ratio")
UP = {"in90": "held by the 90 % band", "log_ratio": "CRPS / that without"}


def by_task(rows: pd.DataFrame, who: str = "any run", whom: str = "any run") -> pd.DataFrame:
    """Over the shares seen: a line for each task and count of finished runs; without any, whoever they might have been."""
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
        axes[0, column].set_title(source)
    for ax, words in zip(axes[:, 0], UP.values(), strict=True):
        ax.set_ylabel(words)
    axes[0, 0].set_ylim(0.6, 1.02)
    axes[1, 0].set_yticks(np.log([0.6, 0.7, 0.8, 0.9, 1, 1.1]), ["0.6", "0.7", "0.8", "0.9", "1", "1.1"])
    figure.supxlabel("finished runs of the same task", fontsize=10)
    return figure


def _panel(ax: Axes, found: pd.DataFrame, score: str) -> None:
    """Each task faintly, their mean strongly; of counts that all tasks have."""
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
    ax.set_xticks(list(place.values()), [str(n) for n in place])


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
        "tasks": f"{own['task'].nunique()}", "90 % band holds": _per_cent(in90), "50 % band holds": _per_cent(in50),
        "width of the 90 % band": f"{own['width'].median():.2f}",
        "CRPS": "–" if ratio is None else f"{np.exp(ratio.value):.2f}",
        "tasks with 85–95 %": f"{(own['in90'].between(0.85, 0.95)).mean():.0%}".replace("%", " %"),
    }  # fmt: skip


def _per_cent(found: Interval | None) -> str:
    if found is None:
        return "–"
    return Interval(*(100 * end for end in found)).plus_minus(".1f") + " %"


def _over_tasks(own: pd.DataFrame, score: str) -> Interval | None:
    """Tasks are drawn anew; a lone one has no interval, only a value."""
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
        line = {"source": source, "tasks": f"{own['task'].nunique()}"}
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
        line = {"seen": f"{seen} %"}
        for n, some in found.groupby("finished"):
            line[f"{n}"] = f"{100 * some['in90'].mean():.0f} %" + (
                "" if n == 0 else f", {np.exp(some['log_ratio'].mean()):.2f}"
            )
        lines.append(line)
    return pd.DataFrame(lines)


def _pruned(rows: pd.DataFrame) -> pd.DataFrame:
    """Who had finished and who is forecast, on the tasks that have enough survivors."""
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
        line = {"source": source, "tasks on look": f"{len(own) - len(judged)}", "on judge": f"{len(judged)}"}
        lines.append(
            line | {"runs of a task": f"{judged.min()} to {judged.max()}", "licence": own["licence"].iloc[0]}
        )
    return pd.DataFrame(lines)


def claims(rows: pd.DataFrame | None) -> list[Claim]:
    found = None if rows is None else by_task(rows)
    pruned = None if rows is None else by_task(rows, who="survivors")
    apart = None if rows is None else by_task(rows, who="survivors", whom="survivors")
    return [
        claim("five_hold", "With five finished runs of the same task the 90 % band holds {least:.0%} to {most:.0%} on "
              "average over tasks: {value:.1%}.", _held(found, 5), "between 0.85 and 0.95"),
        claim("twenty_hold", "With twenty finished runs it holds {least:.0%} to {most:.0%} on average over tasks: "
              "{value:.1%}.", _held(found, 20), "between 0.88 and 0.92"),
        claim("five_crps", "With five finished runs the CRPS is at most that without, on average over tasks: "
              "{value:.3f} times as large.", _ratio(found, 5), "<= 1"),
        claim("twenty_crps", "With twenty finished runs the CRPS is at most that without, on average over tasks: "
              "{value:.3f} times as large.", _ratio(found, 20), "<= 1"),
        claim("pruned_any", "Where finished means ‘not pruned’ (five survivors of successive halving), the 90 % band of "
              "any run holds less than {most:.0%}, too few: {value:.1%}.", _held(pruned, 5), "< 0.85", limit=True),
        claim("pruned_alive", "Of runs that would survive themselves, it holds {least:.0%} to {most:.0%} even then: "
              "{value:.1%}.", _held(apart, 5), "between 0.85 and 0.95"),
    ]  # fmt: skip


def _held(found: pd.DataFrame | None, count: int) -> Interval | None:
    return None if found is None else _over_tasks(found[found["finished"] == count], "in90")


def _ratio(found: pd.DataFrame | None, count: int) -> Interval | None:
    logs = None if found is None else _over_tasks(found[found["finished"] == count], "log_ratio")
    return None if logs is None else Interval(*(float(np.exp(end)) for end in logs))
