"""Does a long run need thinning?

Curves of the paper's prior with 400 epochs, four times as many as in the training, are read in two ways: all observed epochs,
with forecasts past epoch 100, or every fourth, numbered 1, 2, 3. Trainings differ in their seed alone. All are scored on the
same curves, at the same epochs; intervals count trainings and curves.
"""

from dataclasses import dataclass, replace

import pandas as pd
import torch

from curvecast.training.train import TrainConfig, trained
from presswork import Above, Between, Claim, Estimates, Interval, there
from presswork.estimates import Form, table
from reproduce.protocols import asked
from reproduce.trainings import SMALL, TINY

ON_REQUEST = "python -m reproduce run thinning --scale paper"
ALL, FOURTH, LEAD = "all", "every fourth", "all minus every fourth"
CASES = {"every epoch, asked beyond 100": ALL, "every fourth, renumbered": FOURTH}
SCORES: dict[str, tuple[str, Form]] = {
    "cover90": ("coverage in %, after {} %", lambda share: share.times(100).plus_minus(".1f")),
    "ll": ("nats per point, after {} %", ".3f"),
}
NATS, RIGHT = "nats per point", Between(0.85, 0.95)


@dataclass(frozen=True)
class Config:
    model: TrainConfig = SMALL["3x128"]
    seeds: tuple[int, ...] = (0, 1, 2)
    curves: int = 2000
    shares: tuple[int, ...] = (10, 20, 40)  # of a curve, observed, in percent


SCALES = {
    "smoke": Config(TINY["1x16"], seeds=(0, 1), curves=12),
    "laptop": Config(seeds=(0,), curves=500),
    "paper": Config(),
}
TABLES = {"rows": ("seed", "case", "share", "curve", "ll", "cover90")}
PARTS = "seed{seed}"


def needs(config: Config, seed: int) -> list[TrainConfig]:
    return [replace(config.model, seed=seed)]


def measure(config: Config, seed: int) -> pd.DataFrame:
    generator = torch.Generator().manual_seed(0)  # the same curves for each training
    rows = asked.long(trained(needs(config, seed)[0]), config.curves, config.shares, generator)
    rows = rows[rows["case"].isin(CASES)].replace({"case": CASES}).rename(columns={"cutoff": "share"})
    return rows.assign(seed=seed)[list(TABLES["rows"])].round(4)


def estimates(rows: pd.DataFrame) -> Estimates:
    """{(score, epochs read, share)}, and for LEAD the difference of the two on each curve by each training"""
    found = {}
    each = rows.melt(["seed", "curve", "case", "share"], [*SCORES], "score")
    for (score, share), own in each.groupby(["score", "share"]):
        table = own.pivot(index=["seed", "curve"], columns="case", values="value")
        table[LEAD] = table[ALL] - table[FOURTH]
        for case, values in table.items():
            found[score, case, share] = Interval.of_seeds_and_curves(values.unstack())
    return there(found)


def tabulate(found: Estimates, config: Config) -> dict[str, pd.DataFrame]:
    columns = {
        (score, ..., share): (title.format(share), form)
        for score, (title, form) in SCORES.items() for share in config.shares
    }  # fmt: skip
    return {"scores": table(found, "epochs read", (ALL, FOURTH, LEAD), columns)}


def claims(found: Estimates, config: Config) -> list[Claim]:
    few, many = config.shares[0], config.shares[-1]
    asks = "With {} % of a curve of 400 epochs observed, does Minutes {}?"
    late = found.get(("ll", LEAD, many))
    return [
        Claim("all_score_higher_early", asks.format(few, "score higher from all epochs than from every fourth"),
              ("ll", LEAD, few), Above(0), NATS),
        Claim("thinned_score_higher_late", asks.format(many, "score higher from every fourth epoch than from all"),
              late and late.negated(), Above(0), NATS),
        Claim("thinned_cover_late", asks.format(many, "keep its coverage when every fourth epoch is read"),
              ("cover90", FOURTH, many), RIGHT, "%"),
        Claim("all_cover_late", asks.format(many, "keep its coverage when all epochs are read"),
              ("cover90", ALL, many), RIGHT, "%"),
    ]  # fmt: skip
