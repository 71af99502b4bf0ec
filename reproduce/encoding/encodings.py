"""Does a forecaster of learning curves need a positional encoding?"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from presswork import Above, Below, Between, Claim, Estimates, Interval, Rows, there
from presswork.estimates import table
from reproduce.encoding import _cells
from reproduce.encoding._cells import FED, TITLES, Cell, gap, gaps
from reproduce.encoding._encoded_network import encoded, likelihood, train
from reproduce.trainings import TINY

APART = ("observed", "asked")  # networks that are given the epochs of these tokens alone
ALIKE = Between(-0.05, 0.05)  # nats per point
beside = partial(Cell, "pfn", fed=True)  # an encoding beside the epoch as a number
instead = partial(Cell, "pfn", fed=False)  # an encoding in place of the epoch
given = partial(Cell, name="none", fed=True)  # without encoding, the epochs of APART alone
RAW = beside("none")  # as LC-PFN: the epoch as a number and nothing else
NOTHING = instead("none")


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=16_000)
    cells: tuple[str, ...] = ("none", "sincos", "rope")  # of TITLES; each with the epoch given and not given
    seeds: int = 3
    curves: int = 500  # of THE test set, the first ones
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=128), tuple(TITLES), seeds=2, curves=4, cutoffs=(10, 40)),
    "laptop": Config(TrainConfig(ModelConfig(64, 2, 2), curves=9_600), cells=("none",), seeds=2),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(TrainConfig(ModelConfig(64, 2, 2), curves=32_000), cells=tuple(TITLES)),
}  # fmt: skip
TABLES = {"each": ("curve", ...), "apart": ("curve", ...)}  # and a column for each cutoff


def models(config: Config) -> list[TrainConfig]:
    """None: each part trains its own, like `train`."""
    return []


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Each cell with each seed; all cells with the first seed come first, so that a part of the run is of use."""
    cells = [Cell("pfn", name, fed) for name in config.cells for fed in (True, False)]
    apart = [given(which) for which in APART] if set(TITLES) <= set(config.cells) else []
    each = [(cell, seed) for some in (cells, apart) for seed in range(config.seeds) for cell in some]
    return {cell.part(seed): {"cell": cell, "seed": seed} for cell, seed in each}


def measure(config: Config, cell: Cell, seed: int) -> Rows:
    table, which = ("apart", cell.network) if cell.network in APART else ("each", "all")
    net = train(encoded(replace(config.train, seed=seed), cell.encoding, cell.fed, which))
    noisy = prior.test_set(config.curves).noisy
    each = {f"at{cutoff}": likelihood(net, noisy, cutoff).numpy().round(3) for cutoff in config.cutoffs}
    return {table: pd.DataFrame(each).rename_axis("curve").reset_index()}


def estimates(rows: Rows, config: Config) -> Estimates:
    """{cell: nats per point above the epoch as a number}; of two encodings in its place, by the names of their claims: those
    above no encoding."""
    scored = _cells.scores(rows["each"], parts(config)) | _cells.scores(rows["apart"], parts(config))
    tasks = [f"at{cutoff}" for cutoff in config.cutoffs]
    return gaps(scored, RAW, tasks) | there({
        "scrambled_is_no_order": gap(scored, instead("scrambled-coded"), NOTHING, tasks),
        "euclidean_is_nothing": gap(scored, instead("euclidean"), NOTHING, tasks),
    })  # fmt: skip


def draw(found: Estimates) -> dict[str, Figure]:
    label = "difference in log-likelihood from the epoch as a number\n(nats per point, higher is better)"
    cells = {cell: one for cell, one in found.items() if isinstance(cell, Cell)}
    return {"effects": _cells.effects(cells, "pfn", label)}


def tabulate(found: Estimates, config: Config) -> Rows:
    """Differences from the epoch as a number; an encoding that was not trained is left out."""
    names = {name: TITLES[name] for name in config.cells}
    columns = {("pfn", ..., fed): title for fed, title in FED.items()}
    return {"gaps": table(found, "encoding", names, columns, in_bold, missing="…", only_measured=True)}


def in_bold(one: Interval) -> str:
    """Where zero lies outside; of what is compared with itself, 0 alone."""
    text = one.plus_minus("+.3f") if any(one) else "0"
    return f"**{text}**" if one.low > 0 or one.high < 0 else text


def claims(found: Estimates) -> list[Claim]:
    less = {cell: one.negated() for cell, one in found.items()}  # than the epoch as a number
    asks = partial(Claim, unit="nats per point")
    return [
        asks("order_matters", "Does a network that is given neither the epoch nor an encoding score lower than one that is "
             "given the epoch?", less.get(NOTHING), Above(0.1)),
        asks("order_alone_matters", "Does a network that is given the epochs that it is asked about, but not those of the "
             "observed points, score lower than one that is given both?",
             less.get(given("asked")), Above(0.1)),
        asks("asked_epoch_matters", "Does a network that is given the epochs of the observed points, but not those that it "
             "is asked about, score lower than one that is given both?",
             less.get(given("observed")), Above(0.1)),
        *(asks(f"{name}_adds", f"Does the {TITLES[name]} encoding, added to the epoch, leave the score as it is?",
               beside(name), ALIKE) for name in ("sincos", "rope", "learned", "alibi")),
        *(asks(f"{name}_replaces", f"Can the {TITLES[name]} encoding replace the epoch with hardly any loss of score?",
               instead(name), Above(-0.05)) for name in ("sincos", "alibi")),
        asks("log_replaces", "Do ln x and 1/x, in place of the epoch x, score higher than the epoch?",
             instead("log"), Above(0)),
        # of encodings that the earlier blog describes or invents
        asks("scrambled_is_no_order", "Without the epoch, is a table that is shuffled in each pass hardly better than no "
             "encoding?", "scrambled_is_no_order", Below(0.05)),
        asks("euclidean_is_nothing", "Without the epoch, does the Euclidean encoding (the distance from the start, in all "
             "columns) score the same as no encoding?", "euclidean_is_nothing", ALIKE),
    ]  # fmt: skip
