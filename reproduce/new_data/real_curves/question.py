"""How good are forecasts of real curves, by source, by method, by share seen?"""

from dataclasses import dataclass, field

import pandas as pd
from matplotlib.figure import Figure

from curvecast.forecasting import shipped
from curvecast.judge.exact import JudgeConfig
from curvecast.training.train import TrainConfig, trained
from reproduce._press.contract import Claim
from reproduce.new_data import _forecasters
from reproduce.new_data._chosen import ROWS, about, chosen, fingerprint
from reproduce.new_data._forecasters import Ask, ChainsConfig
from reproduce.new_data._networks import networks
from reproduce.new_data._scored import scores
from reproduce.new_data.real_curves import claims as claimed
from reproduce.new_data.real_curves import figures, tables

Rows = dict[str, pd.DataFrame]

FETCHED = {
    "CURVECAST_DATA": "the tables of real curves are not part of this repository; the page on new data lists what to clone "
    "and the command that makes them: let CURVECAST_DATA name their folder"
}
SLOW = ("fits", "exact", "chains")  # forecasters that see fewer curves


@dataclass(frozen=True)
class Config:
    size: str = "2x96"  # of the networks that are trained for this
    side: str = "judge"  # look: while something is chosen
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a row, at most
    slow: int = 20  # of them, the first ones, for forecasters that take long
    forecasters: tuple[str, ...] = ("simple", "fits", "networks", "exact")
    judge: JudgeConfig = field(default_factory=lambda: JudgeConfig(bank=100_000))
    chains: ChainsConfig = ChainsConfig()
    at_once: int = 8  # curves, of the judge and of chains
    seed: int = 0


SCALES = {
    "smoke": Config(
        "1x16", "look", ("lcdb11", "taskset"), 4, 2, ("simple", "fits", "networks", "exact", "chains"),
        JudgeConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2), ChainsConfig(26, 40, 10),
    ),
    "laptop": Config(),
    "paper": Config(
        "3x128", curves=300, slow=100, forecasters=("simple", "fits", "networks", "exact", "chains"), judge=JudgeConfig()
    ),
}  # fmt: skip

TABLES = {
    "curves": ("row", "curve", "source", "task", "group", "licence", "side", "learns", "points", "clipped"),
    "rows": (
        "row",
        "curve",
        "seen",
        "method",
        "ll",
        "crps",
        "error",
        "in50",
        "in90",
    ),  # seen: per cent of the points
    "below": (
        "row",
        "seen",
        "method",
        "level",
        "below",
    ),  # share of points below each quantile, a curve a vote
    "read": ("row", "file", "sha256", "side", "curves"),
}


def models(config: Config) -> list[TrainConfig]:
    return list(networks(config.size).values()) if "networks" in config.forecasters else []


def needs(config: Config, part: str) -> list[TrainConfig]:
    return models(config) if part.endswith(".networks") else []


def parts(config: Config) -> list[str]:
    return [f"{row}.{kind}" for kind in config.forecasters for row in config.rows]


def measure(config: Config, part: str) -> Rows:
    row, kind = part.split(".")
    found = chosen(row, config.side, config.slow if kind in SLOW else config.curves, config.seed)
    at_once = {"at_once": config.at_once} if kind in ("exact", "chains") else {}
    measured = scores([one.trial for one in found], _asked(config, kind), **at_once)
    tables = {name: _rounded(frame.assign(row=row)) for name, frame in measured.items()}
    if kind == config.forecasters[0]:  # these see all curves
        tables["curves"] = about(row, found).assign(side=config.side).round({"clipped": 4})
        there = (row, ROWS[row].file, fingerprint(row), config.side, len(found))
        tables["read"] = pd.DataFrame([there], columns=TABLES["read"])
    return tables


def _asked(config: Config, kind: str) -> dict[str, Ask]:
    if kind == "simple":
        return _forecasters.simple()
    if kind == "fits":
        return _forecasters.fits()
    if kind == "exact":
        return {"exact": _forecasters.judge(config.judge, config.seed)}
    if kind == "chains":
        return {"vector": _forecasters.chains(config.chains, config.seed)}
    nets = {name: trained(train) for name, train in networks(config.size).items()}
    nets["shipped"] = shipped.load().forecaster
    return {name: _forecasters.network(net) for name, net in nets.items()}


def _rounded(frame: pd.DataFrame) -> pd.DataFrame:
    """Three digits, as the file is committed."""
    for name in ("ll", "crps", "error"):
        if name in frame:
            frame[name] = [float(f"{value:.3g}") for value in frame[name]]
    return frame.round({"in50": 3, "in90": 3, "level": 2, "below": 3})


def draw(rows: Rows) -> dict[str, Figure]:
    return figures.figures(rows)


def tabulate(rows: Rows) -> Rows:
    return tables.tables(rows)


def claims(rows: Rows) -> list[Claim]:
    return claimed.claims(rows)
