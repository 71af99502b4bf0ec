"""What do positional encodings look like, and which properties can be proved?"""

from dataclasses import dataclass, field, replace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.networks.encodings import ENCODINGS, EncodingConfig
from curvecast.networks.model import ModelConfig
from curvecast.training.steps import Training
from curvecast.training.train import TrainConfig, fit
from reproduce._press import claim_text
from reproduce._press.claim import Above, Below, Between, Claim
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, ink
from reproduce._press.where import Rows, where
from reproduce.encoding._cells import CELLS
from reproduce.encoding._encoded_network import encoded
from reproduce.encoding.encoding_shapes.properties import NORMS, moved_by_an_encoding, properties
from reproduce.encoding.encoding_shapes.shapes import BY_DISTANCE, shapes, wide
from reproduce.pictures.panels import legend, panels
from reproduce.trainings import TINY

TITLES = {name: shown.title for name, shown in CELLS.items()} | {"raw": "raw epoch"}
ADDED = (
    "sincos", "sincos-4", "learned", "scrambled-coded", "scrambled-described", "euclidean", "raw", "log",
)  # fmt: skip
DIVERGING, ONE_WAY = "RdBu_r", "cividis"  # with a middle, and without; readable with any colour vision


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=12_800)  # with a learned table
    width: int = 32  # of the matrices that are shown
    heads: int = 4
    epochs: int = 100
    table: EncodingConfig = field(default_factory=lambda: EncodingConfig("learned"))
    seed: int = 0
    seeds: int = 3  # of the network with a learned table


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=256)),
    "laptop": Config(seeds=1),
    "paper": Config(),
}
TABLES = {
    "matrix": ("encoding", "x", ...),  # and a column for each of the encoding
    "distance": ("encoding", "apart", "value"),
    "deal": ("encoding", "x", "row"),
    "example": ("base", "x", "c0", "c1", "c2", "c3"),
    "sweep": ("base", "width", "nearest"),
    "frequency": ("base", "pair", "period"),
    "properties": ("encoding", ...),
    "layernorm": ("norm", "encoding", "factor", "moved"),
    "learned": ("seed", "when", "x", ...),
}


def models(config: Config) -> list[TrainConfig]:
    """None: each part trains its own, like `train`."""
    return []


def parts(config: Config) -> list[str]:
    return ["shapes", "layernorm", "learned"]


def measure(config: Config, part: str) -> Rows:
    torch.manual_seed(config.seed)
    if part == "layernorm":
        return {"layernorm": moved_by_an_encoding(config.width, config.heads, config.seed)}
    if part == "learned":
        return {"learned": learned_tables(config)}
    tables = shapes(config.epochs, config.width, config.heads)
    rows = [{"encoding": name} | properties(EncodingConfig(name)) for name in ENCODINGS]
    return tables | {"properties": pd.DataFrame(rows)}


def learned_tables(config: Config) -> pd.DataFrame:
    """Before and after training, in a network that knows the epoch from this table alone."""
    frames = []
    for seed in range(config.seeds):
        how = encoded(replace(config.train, seed=seed), config.table, fed=False)
        training = Training(how, how.network())
        frames.append(wide(training.net.encoding.table.detach().clone(), when="before", seed=seed))
        fit(training)
        frames.append(wide(training.net.encoding.table.detach(), when="after", seed=seed))
    return pd.concat(frames)


# ------------------------------------------------------------------------------------------------- estimates


def exactly(rows: pd.DataFrame, by: list[str], value: str) -> Estimates:
    """Only weights and one permutation are random here, so most numbers have no interval."""
    return grouped(rows, by, lambda own: Interval.exactly(float(own[value].iloc[0])))


def moved(rows: Rows) -> Estimates:
    return exactly(rows["layernorm"], ["encoding", "norm", "factor"], "moved")


def codes(rows: pd.DataFrame, **which: object) -> np.ndarray:
    """Epochs by columns."""
    return where(rows, **which).filter(regex=r"^c\d+$").dropna(axis=1).to_numpy()


def cosines(code: np.ndarray) -> np.ndarray:
    """Cosine similarity of all pairs of rows; of a row of zeros it is zero."""
    unit = code / np.maximum(np.linalg.norm(code, axis=1, keepdims=True), 1e-9)
    return unit @ unit.T


def likeness(table: pd.DataFrame, when: str) -> float:
    """Mean cosine of neighbours, above that of rows 50 epochs apart."""
    alike = cosines(codes(table, when=when))
    return float(np.diagonal(alike, 1).mean() - np.diagonal(alike, 50).mean())


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """An image of nothing cannot be drawn: a part that was not measured is left out."""
    made = {}
    if len(rows["matrix"]):
        made = {"matrices": draw_matrices(rows["matrix"]), "similarity": draw_similarity(rows)}
        made |= {"scrambled": draw_deals(rows["deal"]), "bases": draw_bases(rows)}
    if len(rows["layernorm"]):
        made["layernorm"] = draw_layernorm(rows["layernorm"])
    if len(rows["learned"]):
        made["learned"] = draw_learned(rows["learned"])
    return made


def edges(axes: np.ndarray, across: str) -> None:
    """Say what the axes are, at the left and below."""
    for axis in axes[:, 0]:
        axis.set_ylabel("epoch")
    for axis in axes[-1]:
        axis.set_xlabel(across)


def image(axis: Axes, matrix: np.ndarray, low: float = -1, high: float = 1) -> None:
    places = (0.5, 100.5, 100.5, 0.5)
    axis.imshow(matrix, cmap=ONE_WAY, vmin=low, vmax=high, interpolation="nearest", extent=places)
    axis.grid(visible=False)


def draw_matrices(matrix: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(2, 4, figsize=(10, 5.4), sharex=True, sharey=True)
    for axis, name in zip(axes.flat, ADDED, strict=True):
        code = codes(matrix, encoding=name)
        size = np.abs(code).max()
        shown = axis.imshow(code, cmap=DIVERGING, vmin=-size, vmax=size, aspect="auto", interpolation="nearest",
                            extent=(0, code.shape[1], 100.5, 0.5))  # fmt: skip
        axis.set_title(f"{TITLES[name]}\nrange ±{size:.2g}")
        axis.grid(visible=False)
    figure.colorbar(shown, ax=axes, shrink=0.6, ticks=[]).set_label("value, from −range to +range")
    edges(axes, "column")
    return figure


def draw_similarity(rows: Rows) -> Figure:
    figure, axes = plt.subplots(3, 4, figsize=(10, 7.8), sharex=True, sharey=True)
    matrices = {name: cosines(codes(rows["matrix"], encoding=name)) for name in ADDED}
    matrices |= {name: by_distance(where(rows["distance"], encoding=name)) for name in BY_DISTANCE}
    for axis, (name, matrix) in zip(axes.flat, matrices.items(), strict=True):
        biased = name in BY_DISTANCE and name != "rope"
        image(axis, matrix, *((matrix.min(), matrix.max()) if biased else (-1, 1)))
        axis.set_title(TITLES[name])
    edges(axes, "epoch")
    return figure


def by_distance(rows: pd.DataFrame) -> np.ndarray:
    """A value for each distance -> a square matrix: epoch of the reading token by epoch of the token that is read."""
    value = rows.set_index("apart")["value"]
    epochs = np.arange(int(value.index.max()) + 1)
    return np.stack([value.loc[epochs - reader].to_numpy() for reader in epochs])


def draw_deals(deal: pd.DataFrame) -> Figure:
    names = ("learned", "scrambled-described", "scrambled-coded")
    figure, axes = panels([TITLES[name] for name in names], (9, 3.4), sharey=True)
    for axis, name in zip(axes, names, strict=True):
        mine = where(deal, encoding=name)
        axis.plot(mine["x"], mine["row"], ".", color=colour("encoding learned"), markersize=4)
        axis.set_xlabel("epoch")
    axes[0].set_ylabel("row of the table")
    return figure


def draw_bases(rows: Rows) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    for base, dashes in {4: "-", 100: "--", 10_000: ":"}.items():
        mine = where(rows["frequency"], base=base)
        look = {"color": colour("encoding sincos"), "linestyle": dashes, "label": f"n = {base:,}"}
        left.plot(mine["pair"], mine["period"], **look)
    left.axhline(100, color=ink(), linewidth=1)
    left.annotate("length of a curve", (0, 100), xytext=(2, 4), textcoords="offset points", fontsize=8)
    left.set(yscale="log", xlabel="pair of columns, i", ylabel="epochs until the pair repeats")
    left.legend()
    for width, mine in rows["sweep"].groupby("width"):
        right.plot(mine["base"], mine["nearest"], ".-", color=colour("encoding sincos"), linewidth=1)
        right.annotate(f"d = {width}", tuple(mine[["base", "nearest"]].iloc[-1]), xytext=(5, -3), textcoords="offset points",
                       fontsize=8)  # fmt: skip
    right.set(xscale="log", yscale="log", xlabel="base n", ylabel="distance between the two nearest epochs")
    right.set_xlim(right=1e6)
    return figure


def draw_layernorm(rows: pd.DataFrame) -> Figure:
    figure, axes = panels(NORMS.values(), (8.4, 3.4), sharey=True)
    looks = {"euclidean": ("Euclidean, as written", "epoch not given"),
             "raw": ("scaled and weighted: raw epoch", "epoch given")}  # fmt: skip
    for axis, norm in zip(axes, NORMS, strict=True):
        for name, (label, look) in looks.items():
            mine = where(rows, norm=norm, encoding=name)
            axis.plot(mine["factor"], mine["moved"], ".-", color=colour(look), label=label)
        axis.set(xscale="log", yscale="log", xlabel="factor of the encoding")
    axes[0].set_ylabel("largest change of a hidden state")
    legend(figure, axes, 2)
    return figure


def draw_learned(rows: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.6), sharey=True)
    for axis, when in zip(axes, ("before", "after"), strict=True):
        image(axis, cosines(codes(rows, when=when, seed=0)))
        axis.set(title=f"{when} training", xlabel="epoch")
    axes[0].set_ylabel("epoch")
    figure.colorbar(axes[1].images[0], ax=axes, shrink=0.8).set_label("cosine similarity of two rows")
    return figure


def tabulate(rows: Rows) -> Rows:
    proved = rows["properties"].drop(columns="part")
    found = moved(rows)
    at_one = {key[:2]: claim_text.number(one.value) for key, one in found.items() if key[2] == 1}
    sweep = rows["sweep"].pivot(index="base", columns="width", values="nearest")
    distances = {f"d = {width}": [f"{one:.3f}" for one in sweep[width]] for width in sweep}
    return {
        "properties": proved.assign(encoding=proved["encoding"].map(TITLES)).astype(str),
        "example": example_table(rows["example"]),
        "sweep": pd.DataFrame({"base n": [f"{base:,.0f}" for base in sweep.index]} | distances),
        "layernorm": pd.DataFrame([
            {"encoding": title} | {NORMS[norm]: at_one.get((name, norm), "–") for norm in NORMS}
            for name, title in {"euclidean": "Euclidean", "raw": "raw epoch"}.items()
        ]),
    }  # fmt: skip


def example_table(rows: pd.DataFrame) -> pd.DataFrame:
    four, usual = (where(rows, base=base).set_index("x") for base in (4, 10_000))
    columns = {"sin k": four["c0"], "cos k": four["c1"], "n = 4: sin k/2": four["c2"], "n = 4: cos k/2": four["c3"],
               "n = 10,000: sin k/100": usual["c2"], "n = 10,000: cos k/100": usual["c3"]}  # fmt: skip
    cells = {"k": [str(x - 1) for x in four.index]}
    return pd.DataFrame(cells | {name: [f"{v:.3f}" for v in values] for name, values in columns.items()})


def claims(rows: Rows) -> list[Claim]:
    change, nearest = moved(rows), exactly(rows["sweep"], ["base", "width"], "nearest")
    grown = [likeness(own, "after") - likeness(own, "before") for _, own in rows["learned"].groupby("seed")]
    euclidean = "does adding the Euclidean encoding (the distance from the start, in all columns)"
    return [
        Claim("prenorm_is_blind", f"In a pre-norm network with random weights, {euclidean} leave hidden states as they are?",
              change.get(("euclidean", "pre", 1)), Below(0.001)),
        Claim("postnorm_sees", f"In a post-norm network with random weights, {euclidean} change hidden states?",
              change.get(("euclidean", "post", 1)), Above(0.1)),
        Claim("near_twins", "With one pair of sin–cos columns, are the two nearest of 100 epochs distinct but close "
              "together?", nearest.get((10_000, 2)), Between(0.001, 0.1)),
        Claim("rows_differ", "With 32 sin–cos columns and base 10,000, are even the two nearest of 100 epochs well "
              "separated?", nearest.get((10_000, 32)), Above(0.1)),
        Claim("neighbours_grow_alike", "Does training make neighbouring rows of a learned table more similar, relative to "
              "rows 50 epochs away?", Interval.of_mean(pd.Series(grown, dtype=float)), Above(0)),
    ]  # fmt: skip
