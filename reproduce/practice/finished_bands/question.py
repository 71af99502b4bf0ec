"""What do your own finished runs buy, and what if only the runs that were not pruned have finished?"""

from collections.abc import Iterable
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.forecasting import shipped
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Between, Claim
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice.finished_bands import chosen
from reproduce.practice.finished_bands.with_finished import Case, Task, survivors, tasks, worths
from reproduce.protocols import tables_of_others

TEST_ONLY = ("adabelief", "nanogpt", "pythia")
NONE = 0  # finished runs
SCORES = ("in90", "in50", "width", "log_ratio")
UP = {"in90": "coverage\n(0.9 is right)", "log_ratio": "relative CRPS\n(lower is better)"}
SOURCES = {
    "adabelief": "AdaBelief", "algoperf": "AlgoPerf", "deepobs": "DeepOBS", "lcdb11": "LCDB 1.1",
    "nanogpt": "modded-nanogpt", "pythia": "Pythia", "taskset": "TaskSet",
}  # fmt: skip


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = tuple(tables_of_others.FILES)
    tasks: int = 12  # of a source, at most
    runs: int = 60  # of a task, at most
    forecast: int = 12  # of them, the first ones
    tried: int = 6  # of them, for each candidate of the tuning set
    counts: tuple[int, ...] = (2, 5, 10, 20, 50)
    survivors: tuple[int, ...] = (5, 10)
    seen: tuple[int, ...] = (10, 20, 40, 80)  # per cent of a run that is observed
    seed: int = 0


SCALES = {
    "smoke": Config(tasks=1, runs=24, forecast=2, tried=2, counts=(2, 10), survivors=(5,), seen=(20, 80)),
    "laptop": Config(),
    "paper": Config(tasks=30, forecast=40),
}
TABLES = {
    "tasks": ("side", "source", "task", "licence", "runs"),
    "rows": ("source", "task", "seen", "finished", "who", "whom", "in90", "in50", "width", "ratio"),
    "candidates": ("source", "task", "seen", "finished", "by_all", "by_alike", "in90", "ratio"),
}
READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}


def parts(config: Config) -> list[str]:
    look = [f"look.{source}" for source in config.sources if source not in TEST_ONLY]
    return [*look, *(f"judge.{source}" for source in config.sources)]


def measure(config: Config, part: str) -> Rows:
    side, _, source = part.partition(".")
    own = list(tasks(source, side, config.tasks, config.runs, config.seed))
    lines = [(side, source, task.name, task.licence, len(task.runs)) for task in own]
    about = pd.DataFrame(lines, columns=list(TABLES["tasks"]))
    scored = _look if side == TUNING else _judge
    frames = [scored(config, source, task, seen) for task in own for seen in config.seen]
    return {"tasks": about, "candidates" if side == TUNING else "rows": pd.concat(frames, ignore_index=True)}


def _judge(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    """`who` had finished, any runs or survivors; `whom` was forecast, any run or one that would survive."""
    any_runs = [Case(n) for n in (NONE, *config.counts)]
    cases = [*any_runs, *(Case(n, survivors=True) for n in config.survivors)]
    frame, alive = _forecast(config, task, seen, cases, config.forecast), survivors(task.runs)
    groups = {"any run": frame, "survivors": frame[frame["run"].isin(alive)]}
    lines = []
    for whom, some in groups.items():
        for case, own in some.groupby("case"):
            who = "survivors" if cases[case].survivors else "any run"
            lines.append((source, task.name, seen, cases[case].finished, who, whom, *_means(own, some)))
    return _rounded(pd.DataFrame(lines, columns=list(TABLES["rows"])))


def _look(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    cases = [Case(NONE), *(Case(n, sharing) for n in chosen.COUNTS for sharing in chosen.CANDIDATES)]
    frame = _forecast(config, task, seen, cases, config.tried)
    lines = []
    for case, own in frame[frame["case"] > 0].groupby("case"):
        finished, sharing = cases[case].finished, cases[case].sharing
        in90, _, _, ratio = _means(own, frame)
        lines.append((source, task.name, seen, finished, sharing.by_all, sharing.by_alike, in90, ratio))
    return _rounded(pd.DataFrame(lines, columns=list(TABLES["candidates"])))


def _forecast(config: Config, task: Task, seen: int, cases: list[Case], most: int) -> pd.DataFrame:
    network, rng = shipped.load().network, np.random.default_rng([config.seed, seen])
    judged = worths(network, task, seen / 100, cases, most, rng)
    return pd.DataFrame(
        {"run": run, "case": cases.index(case), **worth._asdict()} for run, case, worth in judged
    )


def _means(own: pd.DataFrame, all_cases: pd.DataFrame) -> tuple[float, float, float, float]:
    """Coverage of both intervals; width and CRPS relative to the network without finished runs, on the same runs."""
    alone = all_cases[(all_cases["case"] == 0) & all_cases["run"].isin(own["run"])]
    width, crps = (own[score].mean() / max(alone[score].mean(), 1e-12) for score in ("width", "crps"))
    return own["in90"].mean(), own["in50"].mean(), width, crps


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    return table.round({"in90": 4, "in50": 4, "width": 4, "ratio": 4})


# ------------------------------------------------------------------------------------------------- estimates


def by_task(rows: pd.DataFrame, who: str = "any run", whom: str = "any run") -> pd.DataFrame:
    """Mean over the observed shares: a line for each task and number of finished runs; 0 runs belong to any `who`."""
    rows = rows[(rows["whom"] == whom) & ((rows["who"] == who) | (rows["finished"] == 0))]
    rows = rows.assign(log_ratio=np.log(rows["ratio"]))
    return rows.groupby(["source", "task", "finished"], sort=False)[list(SCORES)].mean().reset_index()


def over_sources(found: pd.DataFrame, score: str) -> Estimates:
    """By number of finished runs. Each source counts once, whatever its number of tasks."""
    return grouped(found, "finished", lambda own: Interval.of_mean(own.groupby("source")[score].mean()))


def lower_crps(found: pd.DataFrame) -> Estimates:
    """By number of finished runs: the CRPS without them over that with them."""
    return {n: logs.negated().exp() for n, logs in over_sources(found, "log_ratio").items()}


def over_tasks(own: pd.DataFrame, score: str) -> Interval:
    """Tasks are resampled; a single one has a value, but no interval."""
    found = Interval.over_clusters(own[score], own["source"] + own["task"])
    return found or Interval(float(own[score].mean()), np.nan, np.nan)


def nearer(found: pd.DataFrame, count: int) -> Interval | None:
    """By how many points the coverage is nearer to nominal, in the mean of a source, than without finished runs."""
    off = 100 * (found.groupby(["finished", "source"])["in90"].mean() - 0.9).abs()
    there = {NONE, count} <= set(found["finished"])
    return Interval.of_mean((off[NONE] - off[count]).dropna()) if there else None


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {"finished": _finished(rows["rows"])} if len(rows["rows"]) else {}


def _finished(rows: pd.DataFrame) -> Figure:
    frame = by_task(rows)
    sources = list(dict.fromkeys(frame["source"]))
    figure, axes = plt.subplots(
        2, len(sources), figsize=(1 + 1.25 * len(sources), 4), sharex=True, sharey="row", squeeze=False, layout="constrained"
    )  # fmt: skip
    for column, source in enumerate(sources):
        for ax, score in zip(axes[:, column], UP, strict=True):
            _panel(ax, where(frame, source=source), score)
        axes[0, column].set_title(SOURCES[source], fontsize=9)
    for ax, words in zip(axes[:, 0], UP.values(), strict=True):
        ax.set_ylabel(words)
    axes[0, 0].set_ylim(0.6, 1.02)
    axes[1, 0].set_yticks(np.log([0.3, 0.5, 0.7, 1]), ["0.3", "0.5", "0.7", "1"])
    figure.supxlabel("finished runs of the same task", fontsize=10)
    return figure


def _panel(ax: Axes, frame: pd.DataFrame, score: str) -> None:
    """A faint line for each task, a strong one for their mean."""
    counts = sorted(frame["finished"].unique())
    place = {count: i for i, count in enumerate((0, 2, 5, 10, 20, 50))}
    if score == "in90":
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
    else:
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
    colour, means = style.colour("shipped"), frame.groupby("finished")[score].mean()
    for _, own in frame.groupby("task"):
        ax.plot([place[n] for n in own["finished"]], own[score], color=colour, alpha=0.25, linewidth=0.7)
    ax.plot([place[n] for n in counts], means, color=colour, marker="o", markersize=3, linewidth=1.5)
    ax.set_xticks(list(place.values()), [str(n) for n in place], fontsize=7.5)


def tabulate(rows: Rows) -> Rows:
    frame = by_task(rows["rows"])
    bands = [{"finished runs": str(n)} | _cells(own) for n, own in frame.groupby("finished")]
    return {
        "candidates": chosen.table(rows["candidates"]),
        "bands": pd.DataFrame(bands),
        "by_source": _by_source(frame),
        "pruned": _pruned(rows["rows"]),
        "seen": _by_seen(rows["rows"]),
        "tasks": _tasks(rows["tasks"]),
    }


def _cells(own: pd.DataFrame) -> dict[str, str]:
    """Means over tasks; ± is half of the 95 % interval over tasks."""
    if own.empty:
        return {}
    in90, in50, ratio = (over_tasks(own, score) for score in ("in90", "in50", "log_ratio"))
    return {
        "tasks": f"{own['task'].nunique()}",
        "coverage, 90 % interval": _per_cent(in90),
        "sources alike": f"{100 * own.groupby('source')['in90'].mean().mean():.1f} %",
        "coverage, 50 % interval": _per_cent(in50),
        "relative width": f"{own['width'].median():.2f}",
        "relative CRPS": f"{np.exp(ratio.value):.2f}",
        "tasks with 85–95 % coverage": f"{(own['in90'].between(0.85, 0.95)).mean():.0%}".replace("%", " %"),
    }  # fmt: skip


def _per_cent(found: Interval) -> str:
    return found.times(100).plus_minus(".1f") + " %"


def _held_and_crps(own: pd.DataFrame, counts: Iterable[int]) -> dict[str, str]:
    """By number of finished runs: coverage, and beside it the relative CRPS, which is 1 without finished runs."""
    means = own.groupby("finished")[["in90", "log_ratio"]].mean()
    held = {n: f"{100 * mean['in90']:.0f} %" for n, mean in means.iterrows()}
    crps = {n: f", {np.exp(mean['log_ratio']):.2f}" for n, mean in means.iterrows() if n != NONE}
    return {f"{n}": held.get(n, "–") + crps.get(n, "") for n in counts}


def _by_source(frame: pd.DataFrame) -> pd.DataFrame:
    counts = sorted(frame["finished"].unique())
    return pd.DataFrame([
        {"source": SOURCES[str(source)], "tasks": f"{own['task'].nunique()}"} | _held_and_crps(own, counts)
        for source, own in frame.groupby("source", sort=False)
    ])  # fmt: skip


def _by_seen(rows: pd.DataFrame) -> pd.DataFrame:
    counts, by_seen = sorted(rows["finished"].unique()), rows.groupby("seen")
    return pd.DataFrame(
        {"observed": f"{seen} %"} | _held_and_crps(by_task(own), counts) for seen, own in by_seen
    )


def _pruned(rows: pd.DataFrame) -> pd.DataFrame:
    """Which runs had finished and which are forecast, on the tasks that have enough survivors."""
    counts = sorted(set(rows[rows["who"] == "survivors"]["finished"]))
    lines = []
    for n in counts:
        there = set(rows[(rows["who"] == "survivors") & (rows["finished"] == n)]["task"])
        for whom in ("any run", "survivors"):
            for who in ("nobody", "any run", "survivors"):
                frame = by_task(rows, "any run" if who == "nobody" else who, whom)
                finished, name = (NONE, "none") if who == "nobody" else (n, f"{n}: {who}")
                own = frame[frame["task"].isin(there) & (frame["finished"] == finished)]
                lines.append({"finished": name, "forecast": whom} | _cells(own))
    return pd.DataFrame(lines).drop_duplicates()


def _tasks(tasks: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for source, own in tasks.groupby("source", sort=False):
        judged = own[own["side"] == TEST]["runs"]
        lines.append({
            "source": SOURCES[source], "tasks, tuning set": f"{len(own) - len(judged)}", "tasks, test set": f"{len(judged)}",
            "runs per task": f"{judged.min()} to {judged.max()}", "licence": own["licence"].iloc[0],
        })  # fmt: skip
    return pd.DataFrame(lines)


def claims(rows: Rows) -> list[Claim]:
    frame = by_task(rows["rows"])
    held, lower = over_sources(frame, "in90"), lower_crps(frame)
    pruned = over_sources(by_task(rows["rows"], who="survivors"), "in90")
    alive = over_sources(by_task(rows["rows"], who="survivors", whom="survivors"), "in90")
    covers = "does the 90 % interval of the released model have about the coverage it states, on average over sources?"
    right, close = Between(0.85, 0.95), Between(0.88, 0.92)
    survivors = "If only survivors of successive halving have finished, does the 90 % interval"
    return [
        Claim("five_hold", f"With five finished runs of the same task, {covers}", held.get(5), right, "%"),
        Claim("twenty_hold", f"With twenty finished runs of the same task, {covers}", held.get(20), close, "%"),
        *(Claim(f"{word}_crps", f"Do {word} finished runs of the same task lower the CRPS of the released model, on average "
                "over sources?", lower.get(n), AtLeast(1), "×") for word, n in (("five", 5), ("twenty", 20))),
        Claim("five_by_a_fifth", "Do five finished runs of the same task lower the CRPS of the released model by a fifth, on "
              "average over sources?", lower.get(5), AtLeast(1 / 0.8), "×"),
        Claim("twenty_by_three_tenths", "Do twenty finished runs of the same task lower the CRPS of the released model by "
              "three tenths, on average over sources?", lower.get(20), AtLeast(1 / 0.7), "×"),
        Claim("five_nearer", "Do five finished runs of the same task bring the coverage of the 90 % interval nearer to "
              "nominal, on average over sources?", nearer(frame, 5), Above(0), "points"),
        Claim("pruned_any", f"{survivors} cover enough of any run?", pruned.get(5), AtLeast(0.85), "%"),
        Claim("pruned_alive", f"{survivors} have about the coverage it states on runs that would survive?",
              alive.get(5), right, "%"),
    ]  # fmt: skip
