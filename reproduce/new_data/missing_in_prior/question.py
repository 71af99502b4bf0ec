"""What do real curves have that the paper’s prior lacks?

Real curves are put beside equally long reference curves, fitted by the same search: a short curve always leaves smaller
residuals than a long one. Curves that learn and those that do not are compared separately.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from scipy.stats import ks_2samp

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.curves.real_table import TEST, TUNING
from curvecast.exact_bayes.nearest import nearest
from curvecast.ground.config import later
from presswork import Above, Claim, Estimates, Interval, Rows, style, there, where
from reproduce.new_data.missing_in_prior.features import FEATURES, features
from reproduce.pictures.panels import panels
from reproduce.protocols import benchmarks
from reproduce.protocols.benchmarks import ABOUT, ROWS, chosen
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import LEARNT, trial_of

STAND_IN = True
FETCHED = {"CURVECAST_DATA": "`curvecast convert --list` says what to clone, --help how to make the tables"}
PAPER = PriorConfig()
REFERENCES = {"paper": "the paper’s prior", "laws": "our run simulator"}
OF_OTHERS = ("algoperf", "precision", "words", "deepobs", "lcdb11", "taskset")  # in part in the tuning set
TITLES = {row: benchmarks.TITLES[row] for row in OF_OTHERS}
TITLES |= {"own-accuracy": "our runs, accuracy", "own-loss": "our runs, loss"}
OWN = {"own-accuracy": "accuracy", "own-loss": "loss"}
LEAST = 5  # curves, for a median and quantiles
QUANTILES = (0.1, 0.5, 0.9)
WIDE = ("jump",)  # features of which some are a hundred times others
OF_POINTS = ("repeated", "bound")


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = OF_OTHERS
    curves: int = 60  # of a row, at most
    reference: int = 60  # of the paper's prior, and of our run simulator, for each length
    lengths: tuple[int, ...] = (50, 75, 100)  # of these: most real curves are about as long as one of them
    seed: int = 0
    tested: tuple[str, ...] = later(tuple(ROWS))  # benchmarks of which curves of the test set are compared
    few: int = later(20)  # of a row of the test set, at most


SCALES = {
    "smoke": Config(curves=6, reference=6),
    "laptop": Config(),
    "paper": Config(curves=300, reference=300),
}
DIVERGES = "some of the few networks of own_curves diverge, and differ between chips"
MOVED = ("size", "memory", "waves", "settles", "tails", "rise", "repeated", "falls")
TOLERANCES = {f"rows.{feature}": (0.25, DIVERGES) for feature in MOVED}
TABLES = {"rows": (*ABOUT, *FEATURES)}


def reads(config: Config) -> list[str]:
    return ["own_curves"]


PARTS = ("{row}", *OWN, *REFERENCES, "test-{tested}")  # the simulator was not written for the test set


class Sample(NamedTuple):
    about: pd.DataFrame  # a line for each curve
    seen: list[np.ndarray]  # its values, as networks read them


def measure(
    config: Config, part: str, row: str | None, tested: str | None, read: dict[str, Rows]
) -> pd.DataFrame:
    """Statistics alone: no value of a curve."""
    if name := tested or row:
        side, most = (TEST, min(config.few, config.curves)) if tested else (TUNING, config.curves)
        picked = chosen(name, side, most, config.seed)
        sample = Sample(benchmarks.about(part, picked), [one.trial.seen for one in picked])
    else:
        sample = _own(config, part, read["own_curves"]) if part in OWN else _reference(config, part)
    both = zip(sample.seen, residuals(sample.seen), strict=True)
    table = pd.DataFrame([features(y, r) for y, r in both], columns=list(FEATURES))
    return pd.concat([sample.about, table.round(4)], axis=1)


def residuals(curves: list[np.ndarray]) -> list[np.ndarray]:
    """Each curve minus the nearest curve of the paper's prior."""
    y = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(one) for one in curves], True, float("nan"))
    left = (y - nearest(PAPER, y)).numpy()
    return [row[: len(one)] for row, one in zip(left, curves, strict=True)]


def _own(config: Config, part: str, rows: Rows) -> Sample:
    runs = own_runs(rows, (OWN[part],))
    order = np.random.default_rng(config.seed).permutation(len(runs))[: config.curves]
    tried = [(runs[i], trial_of(runs[i])) for i in order]
    kept = [(run, one) for run, one in tried if one is not None]
    lines = [(part, number, "own", run.task, run.group, "MIT", one.learns(), len(one.values), round(one.clipped, 4))
             for number, (run, one) in enumerate(kept)]  # fmt: skip
    return Sample(pd.DataFrame(lines, columns=list(ABOUT)), [one.seen for _, one in kept])


def _reference(config: Config, part: str) -> Sample:
    """Sampled curves of each length."""
    seen = []
    for length in config.lengths:
        how = PriorConfig(length=length, real=1.0 if part == "laws" else 0.0)
        draw = np.random.default_rng([config.seed, length])
        seen += list(prior.sample(how, config.reference, draw).noisy.numpy())
    # as `Trial` says it
    learns = [bool(y[-(len(y) // 5) :].mean() - y[0] > LEARNT * (1 - y[0])) for y in seen]
    lines = [(part, i, part, part, f"{i}", "MIT", learns[i], len(y), 0.0) for i, y in enumerate(seen)]
    return Sample(pd.DataFrame(lines, columns=list(ABOUT)), seen)


def estimates(rows: pd.DataFrame) -> Estimates:
    """By the names of the claims."""
    more = excess(rows)
    less = {name: one.negated() for name, one in more.items()}
    return there({
        "quieter": less.get("size"), "remembers": more.get("memory"), "settles": less.get("settles"),
        "laws_nearer": further(rows),
    })  # fmt: skip


def real(found: pd.DataFrame, learns: bool = True, rows: Iterable[str] = TITLES) -> dict[str, pd.DataFrame]:
    """The real curves of each benchmark, where there are enough."""
    own = {row: where(found, row=row, learns=learns) for row in rows}
    return {row: frame for row, frame in own.items() if len(frame) >= LEAST}


def reference(found: pd.DataFrame, kind: str, own: pd.DataFrame) -> pd.DataFrame:
    """Curves of a prior, of the length nearest to the median length of these."""
    curves = where(found, row=kind, learns=True)
    length = min(curves["points"].unique(), key=lambda n: abs(n - own["points"].median()), default=0)
    return where(curves, points=length)


def excess(found: pd.DataFrame) -> Estimates:
    """By feature: its median minus that of the paper's own curves; a source is one observation, as its rows share much."""
    names, lines = [*FEATURES], []
    for own in real(found).values():
        more = own[names].median() - reference(found, "paper", own)[names].median()
        lines.append([own["source"].iloc[0], *more])
    by_source = pd.DataFrame(lines, columns=["source", *names]).groupby("source").mean()
    return there({name: Interval.of_mean(by_source[name]) for name in names})


def further(found: pd.DataFrame) -> Interval | None:
    """On the test set, distance to the paper's prior minus that to our run simulator, mean over features; by source."""
    each = []
    for own in real(found, rows=[f"test-{row}" for row in ROWS]).values():
        paper, laws = (reference(found, kind, own) for kind in REFERENCES)
        more = [distance(own[f], paper[f]) - distance(own[f], laws[f]) for f in FEATURES]
        each += [(own["source"].iloc[0], one) for one in more]
    table = pd.DataFrame(each, columns=["source", "more"])
    return Interval.of_mean(table.groupby("source")["more"].mean())


def distance(one: pd.Series, other: pd.Series) -> float:
    """The largest difference of both distribution functions (Kolmogorov and Smirnov): 0 the same, 1 nothing in common."""
    a, b = one.dropna(), other.dropna()
    return float(ks_2samp(a, b, method="asymp").statistic) if len(a) and len(b) else float("nan")


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Of curves that learn: the median and the central 80 %."""
    own = real(rows)
    figure, axes = panels([title for title, _ in FEATURES.values()], (11, 5.6), 5, sharey=True)
    for ax, (feature, (_, unit)) in zip(axes, FEATURES.items(), strict=True):
        for place, frame in enumerate(own.values()):
            _line(ax, -place, rows, frame, feature)
        ax.set_xlabel(unit, fontsize=8)
        if feature in WIDE:
            ax.set_xscale("log")
            ax.minorticks_off()
        if feature in OF_POINTS:
            ax.set_xlim(-0.02, 1.02)
    axes[0].set_yticks([-i for i in range(len(own))], [TITLES[row] for row in own])
    handles = [
        Line2D([], [], color=style.colour("ours"), marker="o", markersize=4, label="real curves"),
        Patch(color=style.ink(), alpha=0.25, label=f"curves of {REFERENCES['paper']}, about as long"),
        Patch(color=style.colour("laws"), alpha=0.25, label=f"curves of {REFERENCES['laws']}, about as long"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return {"features": figure}


def _line(ax: Axes, place: int, stats: pd.DataFrame, own: pd.DataFrame, feature: str) -> None:
    for up, (kind, colour) in enumerate((("paper", style.ink()), ("laws", style.colour("laws")))):
        low, middle, high = reference(stats, kind, own)[feature].quantile(QUANTILES)
        edge = place - 0.4 + 0.4 * up
        ax.fill_between([low, high], edge, edge + 0.4, color=colour, alpha=0.25, linewidth=0)
        ax.plot([middle, middle], [edge, edge + 0.4], color=colour, linewidth=1, alpha=0.7)
    low, middle, high = own[feature].quantile(QUANTILES)
    ax.plot([low, high], [place, place], color=style.colour("ours"), linewidth=1.5)
    ax.plot([middle], [place], color=style.colour("ours"), marker="o", markersize=4)


def claims() -> list[Claim]:
    return [
        Claim("quieter", "Do real curves that learn have smaller residuals from the paper’s prior than curves of that "
              "prior, in the logarithm of the standard deviation?", "quieter", Above(0)),
        Claim("remembers", "Are the residuals of real curves more autocorrelated than those of curves of the paper’s "
              "prior?", "remembers", Above(0)),
        Claim("settles", "Do the residuals of real curves shrink more during training than those of curves of the "
              "paper’s prior, in the logarithm of the standard deviation?", "settles", Above(0)),
        Claim("laws_nearer", "Are the features of real curves of the test set nearer to those of our run simulator than to "
              "those of the paper’s prior, by the Kolmogorov–Smirnov distance?", "laws_nearer", Above(0)),
    ]  # fmt: skip
