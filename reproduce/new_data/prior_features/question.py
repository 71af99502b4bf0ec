"""What does each property of the new prior improve on real curves, and what does it cost on the paper’s own?"""

from dataclasses import dataclass

from curvecast.curves.tuning_and_test import TEST
from curvecast.training.train import TrainConfig
from reproduce._press.where import Rows
from reproduce.new_data import _chosen
from reproduce.new_data._chosen import ROWS, chosen
from reproduce.new_data._forecasters import together
from reproduce.new_data.prior_features import claims as claimed
from reproduce.new_data.prior_features import pictures, scored
from reproduce.new_data.prior_features import tables as tabulated
from reproduce.new_data.prior_features.beside import BASE
from reproduce.new_data.prior_features.variants import ALL, networks, on_the_papers, variant

READS_REAL_CURVES = True
FETCHED = {
    "CURVECAST_DATA": "`curvecast convert --list` says what to clone, and --help how to make the tables that it must name"
}
RIVALS = ("old", BASE)  # on the paper's curves


@dataclass(frozen=True)
class Config:
    """A long run on a CPU at paper scale: 32 networks, a minute or two each."""

    variants: tuple[str, ...] = ALL
    size: str = "2x96"
    side: str = TEST  # TUNING while something is chosen
    rows: tuple[str, ...] = tuple(ROWS)
    curves: int = 60  # of a row, at most
    tested: int = 1000  # curves of THE test set
    seed: int = 0


SCALES = {
    "smoke": Config(size="1x8", curves=3, tested=10),
    "laptop": Config((BASE, "old", "laws-alone")),
    "paper": Config(curves=100),
}  # fmt: skip

TABLES = {
    "curves": (*_chosen.ABOUT, "side"),
    "rows": scored.REAL,
    "own": scored.OWN,
    "read": _chosen.READ,
}


def models(config: Config) -> list[TrainConfig]:
    return list(dict.fromkeys(model for part in parts(config) for model in needs(config, part)))


def needs(config: Config, part: str) -> list[TrainConfig]:
    """A variant, by itself or once for each source that is left out, and those beside which it is put."""
    rivals = [variant(config.size, name) for name in RIVALS]
    own = on_the_papers(config.size, part, config.rows)
    return list(dict.fromkeys([*rivals, *networks(config.size, part, config.rows).values(), own]))


def parts(config: Config) -> list[str]:
    return list(config.variants)


def measure(config: Config, part: str) -> Rows:
    found = together(
        [_of_row(config, part, *each) for each in networks(config.size, part, config.rows).items()]
    )
    rivals = {name: variant(config.size, name) for name in RIVALS if name != part}
    own = on_the_papers(config.size, part, config.rows)
    return found | {"own": scored.on_the_papers(part, own, rivals, config.tested)}


def _of_row(config: Config, part: str, row: str, train: TrainConfig) -> Rows:
    found = chosen(row, config.side, config.curves, config.seed)
    tables = {"rows": scored.on_real(part, train, row, [one.trial for one in found])}
    if part == BASE:  # all see the same curves
        tables |= _chosen.listed(row, config.side, found)
    return tables


draw, tabulate, claims = pictures.figures, tabulated.tables, claimed.claims
