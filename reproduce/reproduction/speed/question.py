"""How fast are sampling and training beside the authors’ package?"""

import statistics
from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig
from reproduce._press.claim import Above, AtLeast, Below, Claim, Needs
from reproduce._press.claim_text import tidy
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, faint, ink
from reproduce._press.where import where
from reproduce.pictures.panels import panels
from reproduce.protocols import timing
from reproduce.protocols.timing import ROUNDS
from reproduce.reproduction.speed.equal_time import equal_time
from reproduce.reproduction.speed.throughput import CHUNKS, ONE_THREAD, RECIPE, throughput
from reproduce.trainings import SMALL

ON_REQUEST = "make bench"
TABLES = {"rows": ("what", "program", "curves", "seconds", "value", "unit", ...)}  # others by part
STOPWATCHES = ("rows.value", "rows.se", "rows.curves", "rows.seconds", "rows.cpu_seconds")


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    threads: int = 2
    model: TrainConfig = SMALL["3x128"]
    prior_curves: int = 2000
    steps: int = 5
    our_curves: int = 4096
    likelihoods: tuple[str, ...] = ("likelihood", "likelihood_tuned")
    test_curves: int = 10_000
    cutoffs: tuple[int, ...] = (10, 20, 40)


SCALES = {
    "smoke": Config(
        1, 1, prior_curves=100, steps=1, our_curves=320, likelihoods=("likelihood_smoke",), test_curves=50
    ),
    "laptop": Config(),
    "paper": Config(rounds=15),
}
NOT_AT_SMOKE_SCALE = {"likelihoods": "each takes minutes, and likelihood_smoke goes the same way in seconds"}


def models(config: Config) -> list[TrainConfig]:
    """None: what is timed is trained inside."""
    return []


def parts(config: Config) -> list[str]:
    """Minutes: throughput 8 on two cores, likelihood 18, likelihood_tuned 24 (a core for each program)."""
    return ["throughput", *config.likelihoods]


def measure(config: Config, part: str) -> pd.DataFrame:
    if part == "throughput":
        turn = (config.prior_curves, config.steps, config.our_curves)
        return throughput(config.model, config.rounds, config.threads, *turn)
    return equal_time(part, config.model, config.test_curves, config.cutoffs)


Setting = tuple[str, str, str]  # what is timed, whose program, how
PUBLISHED = "published recipe"  # as throughput calls it

# name of the claim: (numerator, denominator, what is needed, the question, its unit)
RATIOS: dict[str, tuple[Setting, Setting, Needs, str, str]] = {
    "prior": (
        ("prior", "ours", CHUNKS), ("prior", "reference", "batch 100"), AtLeast(50),
        "Does our sampler draw curves of the prior many times faster than the authors’ package?", "×",
    ),
    "training-published": (
        ("training", "ours", RECIPE), ("training", "reference", "4 heads, dropout 0.2"), AtLeast(3),
        "Is our training several times faster, in curves per second, than the authors’ package with the paper’s four "
        "attention heads?",
        "×",
    ),
    "training-published-one-head": (
        ("training", "ours", RECIPE), ("training", "reference", "1 head, dropout 0.2"), AtLeast(3),
        "Is our training several times faster, in curves per second, than the authors’ package with one attention head?", "×",
    ),
    "training-same-recipe": (
        ("training", "ours", PUBLISHED), ("training", "reference", "1 head, dropout 0.2"), Above(1),
        "Is our code faster, in curves per second, than the authors’ package when both train with that package’s recipe?",
        "×",
    ),
    "training-no-dropout": (
        ("training", "ours", RECIPE), ("training", "reference", "4 heads, no dropout"), AtLeast(2),
        "Is our training clearly faster, in curves per second, than the authors’ package without dropout?", "×",
    ),
    "training-no-dropout-one-head": (
        ("training", "ours", RECIPE), ("training", "reference", "1 head, no dropout"), AtLeast(2),
        "Is our training clearly faster, in curves per second, than the authors’ package at its fastest, without dropout and "
        "with one attention head?", "×",
    ),
    "sampling": (
        ("training", "ours", RECIPE), ("prior", "ours", ONE_THREAD), Below(0.05),
        "Does sampling fresh curves take only a small share of the time of our training?", "%",
    ),
}  # fmt: skip

OPPONENTS = (
    ("likelihood", "well above the authors’ package with its own recipe", AtLeast(0.3)),
    ("likelihood_tuned", "above the authors’ package with the best recipe that we found for it", Above(0)),
)


def ratios(rows: pd.DataFrame) -> dict[str, list[float]]:
    """For each claim about speed, the ratio in every round."""
    timed = where(rows, unit="curves/s")
    pairs = {name: (above, below) for name, (above, below, *_) in RATIOS.items()}
    return timing.ratios(timed, ("what", "program", "setting"), "value", pairs)


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated, rounds = [], ratios(rows)
    for name, (_, _, needed, question, unit) in RATIOS.items():
        stated.append(Claim(name, question, Interval.of_median(rounds.get(name, [])), needed, unit))
    for part, than, needed in OPPONENTS:
        for cutoff in config.cutoffs:
            question = (
                f"After equal CPU time and {cutoff} observed epochs, does this network of ours score {than}?"
            )
            name = f"{part.replace('_', '-')}-{cutoff}"
            stated.append(Claim(name, question, _gain(rows, part, cutoff), needed, "nats per point"))
    return stated


def _gain(rows: pd.DataFrame, part: str, cutoff: int) -> Interval | None:
    """Ours minus theirs with its interval; nothing if it was not measured, or if ours took more CPU time."""
    mine = where(rows, what=part)
    if mine.empty:
        return None
    mine = where(mine, cutoff=cutoff).set_index("program")
    if mine.loc["ours", "cpu_seconds"] > mine.loc["reference", "cpu_seconds"]:
        return None
    return Interval.with_error(mine.loc["difference", "value"], mine.loc["difference", "se"])


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    tables = {}
    timed = where(rows, unit="curves/s")
    if len(timed):
        lines = []
        for (what, program, setting), group in timed.groupby(["what", "program", "setting"], sort=False):
            v = group["value"]
            spread = f"{v.min():,.0f} to {v.max():,.0f}"
            lines.append((f"{what}, {program}: {tidy(setting)}", f"{v.median():,.0f}", spread, str(len(v))))
        tables["speed"] = pd.DataFrame(lines, columns=["what", "curves/s, median", "range", "rounds"])
    judged = where(rows, unit="nats")
    if len(judged):
        tables["likelihood"] = _likelihoods(judged)
    return tables


def _likelihoods(judged: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (what, program), group in judged.groupby(["what", "program"], sort=False):
        name = f"{'tuned' if what.endswith('tuned') else 'published'}: {program}"
        line = {"recipe of the reference: program": name}
        for _, row in group.iterrows():
            line[f"after {row['cutoff']:.0f} epochs"] = Interval.with_error(
                row["value"], row["se"]
            ).plus_minus(".3f")
        first = group.iloc[0]
        line["curves"] = "" if pd.isna(first["curves"]) else f"{first['curves']:,.0f}"
        line["CPU minutes"] = "" if pd.isna(first["cpu_seconds"]) else f"{first['cpu_seconds'] / 60:.1f}"
        lines.append(line)
    return pd.DataFrame(lines)


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figures = {}
    rounds = {name: values for name, values in ratios(rows).items() if name != "sampling"}
    if rounds:
        figures["ratios"] = _draw_ratios(rounds)
    judged = where(rows, unit="nats")
    if len(judged):
        figures["likelihood"] = _draw_likelihood(judged)
    return figures


def _draw_ratios(rounds: dict[str, list[float]]) -> Figure:
    """A dot for each round, a bar at the median, a tick at what was needed."""
    figure, axes = plt.subplots(figsize=(7, 0.5 * len(rounds) + 1.2))
    for y, (name, values) in enumerate(reversed(rounds.items())):
        middle, goal = statistics.median(values), RATIOS[name][2].least
        axes.plot([1, middle], [y, y], color=faint(), linewidth=6, solid_capstyle="butt")
        axes.plot(values, [y] * len(values), "o", color=colour("ours"), markersize=4, alpha=0.6)
        axes.plot([goal] * 2, [y - 0.35, y + 0.35], color=colour("paper"), linewidth=2)
        edge = max(goal, *values)
        axes.annotate(f"{middle:#.3g}×", (edge, y), (8, -3), textcoords="offset points", color=ink())
    labels = [_named(*RATIOS[name][:2]) for name in reversed(rounds)]
    axes.set_yticks(range(len(rounds)), labels)
    axes.set(xscale="log", xlim=(1, 2 * max(max(values) for values in rounds.values())))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set(xlabel="× faster (orange line: needed)")
    axes.set_ylim(-0.6, len(rounds) - 0.4)
    return figure


def _named(above: tuple[str, ...], below: tuple[str, ...]) -> str:
    """What is timed: our setting against that of the reference."""
    what = "sampling the prior" if below[0] == "prior" else below[0]
    return f"{what}: {tidy(above[2])} against {tidy(below[2])}"


def _draw_likelihood(judged: pd.DataFrame) -> Figure:
    parts_here = list(dict.fromkeys(judged["what"]))
    titles = [
        f"package with {'tuned' if part.endswith('tuned') else 'published'} recipe" for part in parts_here
    ]
    figure, each = panels(titles, (3.6 * len(parts_here) + 0.4, 3), sharey=True)
    for axes, part in zip(each, parts_here, strict=True):
        for program, key in (("ours", "ours"), ("reference", "paper")):
            mine = where(judged, what=part, program=program)
            minutes = mine["cpu_seconds"].iloc[0] / 60
            label = f"{'ours' if program == 'ours' else 'package'}, {minutes:.1f} CPU min"
            axes.errorbar(
                mine["cutoff"], mine["value"], 1.96 * mine["se"], color=colour(key), marker="o", label=label
            )
        axes.set_xlabel("observed epochs")
        axes.legend(loc="best")
    each[0].set_ylabel("log-likelihood, nats per point\n(higher is better)")
    return figure
