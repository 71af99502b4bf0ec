"""What do your own finished runs buy?"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.real_table import TEST, TUNING
from curvecast.forecasting import shipped
from curvecast.forecasting.finished_runs import Sharing
from presswork import Above, AtLeast, Between, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import cells, grouped, those_of
from reproduce.pictures.panels import panels
from reproduce.practice.finished_bands.with_finished import Case, Task, tasks, worths
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import SOURCES

TEST_ONLY = ("adabelief", "nanogpt", "pythia")
NONE = 0  # finished runs
SCORES = ("in90", "in50", "width", "log_ratio")
UP = {"in90": "coverage\n(0.9 is right)", "log_ratio": "relative CRPS\n(lower is better)"}
BY_ALL, BY_ALIKE = (0.05, 0.15, 0.45), (0.0, 0.15, 0.5, 1.5)  # how much finished runs tell of another
CANDIDATES = [Sharing(*pair) for pair in product(BY_ALL, BY_ALIKE)]  # tried on the tuning set, ...
COUNTS = (2, 5, 20)  # ... with so many finished runs
COVERS = (0.88, 0.92)  # coverage that the 90 % interval then needs on average


@dataclass(frozen=True)
class Config:
    sources: tuple[str, ...] = tuple(benchmarks.FILES)
    tasks: int = 12  # of a source, at most
    runs: int = 60  # of a task, at most
    forecast: int = 12  # of them, the first ones
    tried: int = 6  # of them, for each candidate of the tuning set
    counts: tuple[int, ...] = (2, 5, 10, 20, 50)
    seen: tuple[int, ...] = (10, 20, 40, 80)  # per cent of a run that is observed
    seed: int = 0


SCALES = {
    "smoke": Config(tasks=1, runs=24, forecast=2, tried=2, counts=(2, 10), seen=(20, 80)),
    "laptop": Config(),
    "paper": Config(tasks=30, forecast=40),
}
TABLES = {
    "tasks": ("side", "source", "task", "licence", "runs"),
    "rows": ("source", "task", "seen", "finished", "in90", "in50", "width", "ratio"),
    "candidates": ("source", "task", "seen", "finished", "by_all", "by_alike", "in90", "ratio"),
}
ALIKE = "finished runs are counted by a number, and all sources weigh alike"
LABEL_FREE = dict.fromkeys(("five_nearer", "twenty_hold"), ALIKE)
STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}


def parts(config: Config) -> dict[str, dict[str, str]]:
    every = product((TUNING, TEST), config.sources)
    each = [(side, source) for side, source in every if side == TEST or source not in TEST_ONLY]
    return {f"{side}.{source}": {"side": side, "source": source} for side, source in each}


def measure(config: Config, side: str, source: str) -> Rows:
    own = list(tasks(source, side, config.tasks, config.runs, config.seed))
    lines = [(side, source, task.name, task.licence, len(task.runs)) for task in own]
    about = pd.DataFrame(lines, columns=list(TABLES["tasks"]))
    scored = _look if side == TUNING else _judge
    frames = [scored(config, source, task, seen) for task in own for seen in config.seen]
    table = pd.concat(frames, ignore_index=True).round({"in90": 4, "in50": 4, "width": 4, "ratio": 4})
    return {"tasks": about, "candidates" if side == TUNING else "rows": table}


def _judge(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    cases = [Case(n) for n in (NONE, *config.counts)]
    frame = _forecast(config, task, seen, cases, config.forecast)
    about = source, task.name, seen
    lines = [(*about, cases[case].finished, *_means(own, frame)) for case, own in frame.groupby("case")]
    return pd.DataFrame(lines, columns=list(TABLES["rows"]))


def _look(config: Config, source: str, task: Task, seen: int) -> pd.DataFrame:
    cases = [Case(NONE), *(Case(n, sharing) for n in COUNTS for sharing in CANDIDATES)]
    frame = _forecast(config, task, seen, cases, config.tried)
    lines = []
    for case, own in frame[frame["case"] > 0].groupby("case"):
        finished, sharing = cases[case].finished, cases[case].sharing
        in90, _, _, ratio = _means(own, frame)
        lines.append((source, task.name, seen, finished, sharing.by_all, sharing.by_alike, in90, ratio))
    return pd.DataFrame(lines, columns=list(TABLES["candidates"]))


def _forecast(config: Config, task: Task, seen: int, cases: list[Case], most: int) -> pd.DataFrame:
    network, rng = shipped.load().network, np.random.default_rng([config.seed, seen])
    judged = worths(network, task, seen / 100, cases, most, rng)
    return pd.DataFrame({"run": run, "case": cases.index(case)} | one._asdict() for run, case, one in judged)


def _means(own: pd.DataFrame, all_cases: pd.DataFrame) -> tuple[float, float, float, float]:
    """Coverage of both intervals; width and CRPS relative to those without finished runs, on the same runs."""
    alone = all_cases[(all_cases["case"] == 0) & all_cases["run"].isin(own["run"])]
    width, crps = (own[score].mean() / max(alone[score].mean(), 1e-12) for score in ("width", "crps"))
    return own["in90"].mean(), own["in50"].mean(), width, crps


# ------------------------------------------------------------------------------------------------- estimates


def sharing(candidates: pd.DataFrame) -> Sharing:
    """Of the candidates with the right coverage, the one with the lowest CRPS: a constant of the library."""
    found = candidates.groupby(["by_all", "by_alike"]).apply(_over_counts, include_groups=False)
    honest = found[found["in90"].between(*COVERS)]
    by_all, by_alike = honest["log_ratio"].idxmin() if len(honest) else (found["in90"] - 0.9).abs().idxmin()
    return Sharing(float(by_all), float(by_alike))


def _over_counts(candidates: pd.DataFrame) -> pd.Series:
    """Sources count alike, and in a source its tasks."""
    logs = candidates.assign(log_ratio=np.log(candidates["ratio"])).groupby(["finished", "source"])
    return logs[["in90", "log_ratio"]].mean().groupby("finished").mean().mean()


def by_task(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean over the observed shares: a line for each task and number of finished runs."""
    rows = rows.assign(log_ratio=np.log(rows["ratio"]))
    return rows.groupby(["source", "task", "finished"], sort=False)[list(SCORES)].mean().reset_index()


def estimates(rows: Rows) -> Estimates:
    """{("tasks" or "sources", score, finished runs): mean over these}, {("lower CRPS", finished runs): the CRPS without them
    over that with them, mean over sources}, and one by the name of its claim."""
    frame = by_task(rows["rows"])
    long = frame.melt(["source", "task", "finished"], ["in90", "in50", "log_ratio"], "score")
    tasks, sources = (grouped(long, ["score", "finished"], mean) for mean in (over_tasks, over_sources))
    found = {("tasks", *key): one for key, one in tasks.items()}
    found |= {("sources", *key): one for key, one in sources.items()}
    found |= {("lower CRPS", n): one.negated().exp() for n, one in those_of(sources, "log_ratio").items()}
    return found | there({"five_nearer": nearer(frame, 5)})


def over_sources(own: pd.DataFrame) -> Interval | None:
    """Each source counts once, whatever its number of tasks."""
    return Interval.of_mean(own.groupby("source")["value"].mean())


def over_tasks(own: pd.DataFrame) -> Interval:
    """Tasks are resampled; a single one has a value, but no interval."""
    found = Interval.over_clusters(own["value"], own["source"] + own["task"])
    return found or Interval.without_ends(own["value"].mean())


def nearer(found: pd.DataFrame, count: int) -> Interval | None:
    """By how many points the coverage is nearer to nominal, in the mean of a source, than without finished runs."""
    off = 100 * (found.groupby(["finished", "source"])["in90"].mean() - 0.9).abs()
    if not {NONE, count} <= set(found["finished"]):
        return None
    gained = (off[NONE] - off[count]).dropna().sort_values()  # a sum in one order, to its last bit
    return Interval.of_mean(gained)


def draw(rows: Rows) -> dict[str, Figure]:
    if rows["rows"].empty:
        return {}
    frame = by_task(rows["rows"])
    sources = list(dict.fromkeys(frame["source"]))
    n, across = len(sources), "finished runs of the same task"
    figure, axes = panels([""] * 2 * n, (1 + 1.25 * n, 4), n, across, sharex=True, sharey="row")
    for axis, (score, source) in zip(axes, product(UP, sources), strict=True):
        _panel(axis, where(frame, source=source), score)
        axis.set_title(SOURCES[source] if score == "in90" else "", fontsize=9)
    above, below = axes[0], axes[n]
    above.set(ylabel=UP["in90"], ylim=(0.6, 1.02))
    below.set_ylabel(UP["log_ratio"])
    below.set_yticks(np.log([0.3, 0.5, 0.7, 1]), ["0.3", "0.5", "0.7", "1"])
    return {"finished": figure}


def _panel(ax: Axes, frame: pd.DataFrame, score: str) -> None:
    """A faint line for each task, a strong one for their mean."""
    place = {count: i for i, count in enumerate((0, 2, 5, 10, 20, 50))}
    if score == "in90":
        ax.axhspan(0.85, 0.95, color=style.faint(), alpha=0.5, linewidth=0)
    else:
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
    colour, means = style.colour("shipped"), frame.groupby("finished")[score].mean()
    for _, own in frame.groupby("task"):
        ax.plot([place[n] for n in own["finished"]], own[score], color=colour, alpha=0.25, linewidth=0.7)
    ax.plot([place[n] for n in means.index], means, color=colour, marker="o", markersize=3, linewidth=1.5)
    ax.set_xticks(list(place.values()), [str(n) for n in place], fontsize=7.5)


def tabulate(rows: Rows, found: Estimates) -> Rows:
    frame = by_task(rows["rows"])
    counts = sorted(frame["finished"].unique())
    columns = {
        ("tasks", "in90", ...): "coverage, 90 % interval", ("sources", "in90", ...): "sources alike",
        ("tasks", "in50", ...): "coverage, 50 % interval",
    }  # fmt: skip
    bands = [  # ± is half of the 95 % interval over what the mean is over
        {"finished runs": f"{n}", "tasks": f"{own['task'].nunique()}"}
        | cells(found, n, columns, ".1f %", times=100)
        | {"relative width": f"{own['width'].median():.2f}",
           "relative CRPS": f"{np.exp(found['tasks', 'log_ratio', n].value):.2f}",
           "tasks with 85–95 % coverage": f"{100 * own['in90'].between(0.85, 0.95).mean():.0f} %"}
        for n, own in frame.groupby("finished")
    ]  # fmt: skip
    by_source = [
        {"source": SOURCES[str(source)], "tasks": f"{own['task'].nunique()}"} | _held_and_crps(own, counts)
        for source, own in frame.groupby("source", sort=False)
    ]
    return {"bands": pd.DataFrame(bands), "by_source": pd.DataFrame(by_source)}


def _held_and_crps(own: pd.DataFrame, counts: Iterable[int]) -> dict[str, str]:
    """By number of finished runs: coverage, and beside it the relative CRPS, which is 1 without finished runs."""
    means = own.groupby("finished")[["in90", "log_ratio"]].mean()
    held = {n: f"{100 * mean['in90']:.0f} %" for n, mean in means.iterrows()}
    crps = {n: f", {np.exp(mean['log_ratio']):.2f}" for n, mean in means.iterrows() if n != NONE}
    return {f"{n}": held.get(n, "–") + crps.get(n, "") for n in counts}


def claims(found: Estimates) -> list[Claim]:
    held = those_of(those_of(found, "sources"), "in90")
    covers = "does the 90 % interval of the released model have about the coverage it states, on average over sources?"
    close = Between(0.88, 0.92)
    return [
        Claim("five_hold", f"With five finished runs of the same task, {covers}", held.get(5), close, "%"),
        Claim("twenty_hold", f"With twenty finished runs of the same task, {covers}", held.get(20), close, "%"),
        *(Claim(f"{word}_crps", f"Do {word} finished runs of the same task lower the CRPS of the released model, on average "
                "over sources?", ("lower CRPS", n), AtLeast(1), "×") for word, n in (("five", 5), ("twenty", 20))),
        Claim("five_nearer", "Do five finished runs of the same task bring the coverage of the 90 % interval nearer to "
              "nominal, on average over sources?", "five_nearer", Above(0), "points"),
    ]  # fmt: skip
