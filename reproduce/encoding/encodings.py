"""Does a forecaster of learning curves need a positional encoding?"""

from dataclasses import dataclass, replace
from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.model import ModelConfig
from curvecast.training.train import TrainConfig
from reproduce._press.claim import Above, Below, Between, Claim
from reproduce._press.estimates import Estimates, table
from reproduce._press.intervals import in_cell
from reproduce._press.style import faint, ink, line
from reproduce._press.where import Rows
from reproduce.encoding import _cells, _unpractised_epochs
from reproduce.encoding._cells import CELLS, FED, LINES, Cell, Scores, gap, gaps
from reproduce.encoding._encoded_network import encoded, train
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import legend, panels
from reproduce.trainings import TINY

GRIDS = {
    "within": "epochs 41 to 100, 40 observed",
    "beyond": "epochs 101 to 200, 40 observed",
    "longer": "epochs 151 to 200, 150 observed",
    "irregular_epoch": "random gaps, by epoch",
    "irregular_index": "random gaps, by index",
    "geometric_epoch": "growing gaps, by epoch",
    "geometric_index": "growing gaps, by index",
}
CHOSEN = ("sincos", "rope", "learned", "alibi")  # of CELLS, for claims
ALIKE, HARDLY_WORSE = Between(-0.05, 0.05), Above(-0.05)  # nats per point


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=16_000)
    cells: tuple[str, ...] = ("none", "sincos", "rope")  # of CELLS; each with the epoch given and not given
    networks: tuple[str, ...] = ("pfn",)  # that forecast all epochs in one pass
    seeds: int = 3
    curves: int = 500  # of THE test set, the first ones, and as many long ones
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)
    seed: int = 0  # of the grids of epochs


SCALES = {
    "smoke": Config(
        replace(TINY["1x16"], curves=128), cells=tuple(CELLS), seeds=2, curves=4, cutoffs=(10, 40)
    ),
    "laptop": Config(TrainConfig(ModelConfig(64, 2, 2), curves=9_600), cells=("none", "sincos")),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(TrainConfig(ModelConfig(64, 2, 2), curves=32_000), cells=tuple(CELLS)),
}  # fmt: skip
TABLES = {
    "each": ("curve", *GRIDS, ...),  # and a column for each cutoff
    "horizon": ("ahead", "error"),
    "training": ("seconds", "loss", "parameters"),
}
STOPWATCHES = ("training.seconds",)


def models(config: Config) -> list[TrainConfig]:
    """None: each part trains its own, like `train`."""
    return []


def parts(config: Config) -> list[str]:
    """Each cell with each seed; all cells with the first seed come first, so that a part of the run is of use."""
    return [
        Cell(network, name, fed).part(seed)
        for seed in range(config.seeds)
        for network in config.networks
        for name in config.cells
        for fed in (True, False)
    ]


def measure(config: Config, part: str) -> Rows:
    cell, seed = Cell.of(part)
    net, course = train(encoded(replace(config.train, seed=seed), CELLS[cell.name].encoding, cell.fed))
    curves = prior.test_set(config.curves)
    tasks = _unpractised_epochs.tasks(curves.noisy, config.cutoffs, config.seed)
    each = {task.name: _unpractised_epochs.likelihood(net, task).numpy().round(3) for task in tasks}
    size = sum(p.numel() for p in net.encoding.parameters()) if net.encoding is not None else 0
    return {
        "each": pd.DataFrame(each).rename_axis("curve").reset_index(),
        "horizon": _unpractised_epochs.horizon(net, curves),
        "training": pd.DataFrame([course | {"parameters": size}]),
    }


# ------------------------------------------------------------------------------------------------- estimates


def beside(name: str) -> Cell:
    """An encoding beside the epoch as a number."""
    return Cell("pfn", name, fed=True)


def instead(name: str) -> Cell:
    """An encoding in place of the epoch."""
    return Cell("pfn", name, fed=False)


RAW = beside("none")  # as LC-PFN: the epoch as a number and nothing else
NOTHING = instead("none")


def usual(config: Config) -> list[str]:
    return [f"at{cutoff}" for cutoff in config.cutoffs]


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    scored = _cells.scores(rows["each"])
    label = "difference in log-likelihood from the epoch as a number\n(nats per point, higher is better)"
    return {
        "effects": _cells.effects(gaps(scored, RAW, usual(config)), "pfn", label),
        "horizon": _cells.horizon(rows["horizon"], "pfn", {}, ncols=5),
        "elsewhere": draw_elsewhere(scored),
    }


def draw_elsewhere(scored: Scores) -> Figure:
    """On each grid of epochs, cells against the epoch as a number on the same grid."""
    found = {grid: gaps(scored, RAW, [grid]) for grid in GRIDS}
    shown = [cell for cell in scored if cell.name in LINES and cell not in (RAW, NOTHING)]
    figure, axes = panels(FED.values(), (9, 4.4), sharey=True)
    for axis, fed in zip(axes, FED, strict=True):
        axis.axvline(0, color=ink(), linewidth=1, linestyle=":")
        cells = [cell for cell in shown if cell.fed == fed]
        for number, cell in enumerate(cells):
            shift = 0.5 * (number + 0.5) / len(cells) - 0.25
            gains = [(-place - shift, found[grid].get(cell)) for place, grid in enumerate(GRIDS)]
            dots(axis, gains, fmt="o", markersize=4, **line(f"encoding {cell.name}", linestyle="none"))
        axis.set(xlabel="difference from the epoch as a number\n(nats per point, higher is better)")
        axis.set_xscale("symlog", linthresh=0.1)
        axis.grid(axis="y", visible=False)
        axis.axhline(-2.5, color=faint(), linewidth=1)
    axes[0].set_yticks([-place for place in range(len(GRIDS))], list(GRIDS.values()))
    legend(figure, axes, 4)
    return figure


def tabulate(rows: Rows, config: Config) -> Rows:
    scored = _cells.scores(rows["each"])
    lines, cutoffs = {cell: cell.title for cell in scored}, {f"at{c}": f"{c} %" for c in config.cutoffs}
    levels = _cells.means(scored, {task: [task] for task in [*cutoffs, *GRIDS]} | {"mean": usual(config)})
    return {
        "likelihood": table(levels, "encoding", lines, cutoffs | {"mean": "mean"}, ".3f"),
        "gaps": gaps_table(gaps(scored, RAW, usual(config)), scored),
        "elsewhere": table(levels, "encoding", lines, GRIDS, ".3f"),
        "trained": trained_table(rows, scored, config),
    }


def gaps_table(found: Estimates, scored: Scores) -> pd.DataFrame:
    """Differences from the epoch as a number, with 95 % intervals; bold where zero lies outside."""

    def shown(cell: Cell) -> str:
        one = found.get(cell)
        text = "0" if cell == RAW else in_cell(one, "+.3f")
        return f"**{text}**" if one and (one.low > 0 or one.high < 0) else text

    names = dict.fromkeys(cell.name for cell in scored)
    return pd.DataFrame([
        {"encoding": CELLS[name].title, FED[True]: shown(beside(name)), FED[False]: shown(instead(name))}
        for name in names
    ])  # fmt: skip


def trained_table(rows: Rows, scored: Scores, config: Config) -> pd.DataFrame:
    """How each cell was trained, and on how many curves it was tested."""
    cells, tested = [], rows["each"]["curve"].nunique()
    for cell, seeds in scored.items():
        mine = rows["training"][rows["training"]["part"].isin(map(cell.part, seeds))]
        cells.append({
            "encoding": cell.title, "seeds": f"{len(mine)}",
            "parameters of the encoding": f"{mine['parameters'].iloc[0]:,}",
            "final loss": f"{mine['loss'].mean():.3f}", "seconds per training": f"{mine['seconds'].mean():.0f}",
            "training curves": f"{config.train.curves:,}", "test curves": f"{tested:,}",
        })  # fmt: skip
    return pd.DataFrame(cells)


def claims(rows: Rows, config: Config) -> list[Claim]:
    scored, tasks = _cells.scores(rows["each"]), usual(config)
    found = gaps(scored, RAW, tasks)
    asks = partial(Claim, unit="nats per point")
    stated = [
        asks("order_matters", "Does a network that is given neither the epoch nor an encoding score lower than one that is "
             "given the epoch?", gap(scored, RAW, NOTHING, tasks), Above(0.1)),
    ]  # fmt: skip
    for name in CHOSEN:
        question = f"Does the {CELLS[name].title} encoding, added to the epoch, leave the score as it is?"
        stated.append(asks(f"{name}_adds", question, found.get(beside(name)), ALIKE))
    for name in ("sincos", "alibi"):
        question = f"Can the {CELLS[name].title} encoding replace the epoch with hardly any loss of score?"
        stated.append(asks(f"{name}_replaces", question, found.get(instead(name)), HARDLY_WORSE))
    question = "Do ln x and 1/x, in place of the epoch x, score higher than the epoch?"
    stated.append(asks("log_replaces", question, found.get(instead("log")), Above(0)))
    for name in ("sincos", "rope"):
        alone, title = instead(name), CELLS[name].title
        stated += [
            asks(f"{name}_beyond", "Beyond the epochs of the training, does the epoch as a number score higher than the "
                 f"{title} encoding in its place?", gap(scored, RAW, alone, ["beyond"]), Above(0)),
            asks(f"{name}_irregular", f"Where epochs are missing at random, does the {title} encoding, in place of the "
                 "epoch, score higher if it counts epochs and not points?",
                 gap(scored, alone, alone, ["irregular_epoch"], ["irregular_index"]), Above(0.1)),
        ]  # fmt: skip
    return [
        *stated,  # and of encodings that the earlier blog describes or invents
        asks("scrambled_is_no_order", "Without the epoch, is a table that is shuffled in each pass hardly better than no "
             "encoding?", gap(scored, instead("scrambled-coded"), NOTHING, tasks), Below(0.05)),
        asks("euclidean_is_nothing", "Without the epoch, does the Euclidean encoding (the distance from the start, in all "
             "columns) score the same as no encoding?", gap(scored, instead("euclidean"), NOTHING, tasks), ALIKE),
        asks("base_matters_little", "In place of the epoch, does sin–cos with base 4 score the same as with base 10,000?",
             gap(scored, instead("sincos-4"), instead("sincos"), tasks), ALIKE),
    ]  # fmt: skip
