"""What do real curves have that the paper’s prior lacks?"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.prior import PriorConfig
from curvecast.curves.tuning_and_test import TEST, TUNING
from curvecast.exact_bayes.nearest import nearest
from curvecast.ground.config import later
from reproduce._press.claim import Above, Claim
from reproduce._press.where import Rows
from reproduce.new_data._chosen import ABOUT, ROWS, about, chosen
from reproduce.new_data.missing_in_prior import beside, pictures
from reproduce.new_data.missing_in_prior.features import FEATURES, features
from reproduce.protocols.own_runs import own_runs
from reproduce.protocols.real_curve import LEARNT, trial_of

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
PAPER = PriorConfig()


@dataclass(frozen=True)
class Config:
    # benchmarks of which some curves are in the tuning set
    rows: tuple[str, ...] = ("algoperf", "precision", "words", "deepobs", "lcdb11", "taskset")
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
TOLERANCES = {
    f"rows.{feature}": (0.25, DIVERGES)
    for feature in ("size", "memory", "waves", "settles", "tails", "rise", "repeated", "falls")
}

TABLES = {"rows": (*ABOUT, *FEATURES)}


class Sample(NamedTuple):
    """Curves of one benchmark: a line about each, and its values as networks read them."""

    about: pd.DataFrame
    seen: list[np.ndarray]


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def parts(config: Config) -> list[str]:
    return [
        *config.rows,
        "own-accuracy",
        "own-loss",
        "paper",
        "laws",
        *(beside.TESTED + row for row in config.tested),
    ]


def measure(config: Config, part: str, read: dict[str, Rows]) -> pd.DataFrame:
    """Statistics alone: no value of a curve."""
    about, seen = _sample(config, part, read)
    left = residuals(seen)
    found = pd.DataFrame([features(y, r) for y, r in zip(seen, left, strict=True)], columns=list(FEATURES))
    return pd.concat([about, found.round(4)], axis=1)


def residuals(curves: list[np.ndarray]) -> list[np.ndarray]:
    """Each curve minus the nearest curve of the paper's prior."""
    y = torch.nn.utils.rnn.pad_sequence([torch.from_numpy(one) for one in curves], True, float("nan"))
    left = (y - nearest(PAPER, y)).numpy()
    return [row[: len(one)] for row, one in zip(left, curves, strict=True)]


def _sample(config: Config, part: str, read: dict[str, Rows]) -> Sample:
    if part in ("paper", "laws"):
        return _reference(config, part)
    if part.startswith("own-"):
        return _own(config, part, read["own_curves"])
    tested, most = part.startswith(beside.TESTED), min(config.few, config.curves)
    row = part.removeprefix(beside.TESTED)
    found = (
        chosen(row, TEST, most, config.seed) if tested else chosen(row, TUNING, config.curves, config.seed)
    )
    return Sample(about(part, found), [one.trial.seen for one in found])


def _own(config: Config, part: str, rows: Rows) -> Sample:
    runs = own_runs(rows, (part.removeprefix("own-"),))
    order = np.random.default_rng(config.seed).permutation(len(runs))[: config.curves]
    tried = [(runs[i], trial_of(runs[i])) for i in order]
    found = [(run, one) for run, one in tried if one is not None]
    lines = [(part, number, "own", run.task, run.group, "MIT", one.learns(), len(one.values), round(one.clipped, 4))
             for number, (run, one) in enumerate(found)]  # fmt: skip
    return Sample(pd.DataFrame(lines, columns=list(ABOUT)), [one.seen for _, one in found])


def _reference(config: Config, part: str) -> Sample:
    """Sampled curves of each length."""
    seen = []
    for length in config.lengths:
        how = PriorConfig(length=length, real=1.0 if part == "laws" else 0.0)
        seen += list(
            prior.sample(how, config.reference, np.random.default_rng([config.seed, length])).noisy.numpy()
        )
    lines = [(part, i, part, part, f"{i}", "MIT", _learns(y), len(y), 0.0) for i, y in enumerate(seen)]
    return Sample(pd.DataFrame(lines, columns=list(ABOUT)), seen)


def _learns(y: np.ndarray) -> bool:
    """As the protocol says it of a run."""
    return bool(y[-(len(y) // 5) :].mean() - y[0] > LEARNT * (1 - y[0]))


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    return {"features": pictures.panels(rows)} if beside.complete(rows) else {}


def tabulate(rows: pd.DataFrame) -> Rows:
    return pictures.tables(rows) if beside.complete(rows) else {}


def claims(rows: pd.DataFrame) -> list[Claim]:
    there = beside.complete(rows)
    more = {name: beside.excess(rows, name) if there else None for name in FEATURES}
    less = {name: one and one.negated() for name, one in more.items()}
    nearer = beside.nearer(rows) if there else None
    return [
        Claim("quieter", "Do real curves that learn have smaller residuals from the paper’s prior than curves of that "
              "prior, in the logarithm of the standard deviation?", less["size"], Above(0)),
        Claim("remembers", "Are the residuals of real curves more autocorrelated than those of curves of the paper’s "
              "prior?",
              more["memory"], Above(0)),
        Claim("settles", "Do the residuals of real curves shrink more during training than those of curves of the "
              "paper’s prior, in the logarithm of the standard deviation?", less["settles"], Above(0)),
        Claim("tails", "Do the residuals of real curves have heavier tails than those of curves of the paper’s prior, by "
              "the share beyond three robust standard deviations?", more["tails"], Above(0), "%"),
        Claim("jumps", "Is the largest jump of real curves larger than that of curves of the paper’s prior, in robust "
              "standard deviations of a step?", more["jump"], Above(0)),
        Claim("laws_nearer", "Are the features of real curves of the test set nearer to those of our run simulator than to "
              "those of the paper’s prior, by the Kolmogorov–Smirnov distance?", nearer and nearer.negated(), Above(0)),
    ]  # fmt: skip
