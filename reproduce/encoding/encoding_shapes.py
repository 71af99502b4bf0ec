"""What do positional encodings look like, and which properties can be proved?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from curvecast.networks.encodings import ENCODINGS, EncodingConfig, SinCos, frequencies, make
from presswork import Above, Below, Claim, Estimates, Interval, Rows, there, where
from presswork.style import colour, ink
from reproduce.encoding import _cells
from reproduce.encoding._properties import NORMS, moved_by_an_encoding, properties
from reproduce.pictures.panels import legend, mean_lines, panels

TITLES = _cells.TITLES | {"raw": "raw epoch"}
ADDED = (
    "sincos", "sincos-4", "learned", "scrambled-coded", "scrambled-described", "euclidean", "raw", "log",
)  # fmt: skip
BY_DISTANCE = ("rope", "alibi", "t5", "shaw")
BASES = (2.0, 4.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0)
WIDTHS = (2, 4, 8, 32, 128)
DIVERGING, ONE_WAY = "RdBu_r", "cividis"  # with a middle, and without; readable with any colour vision


@dataclass(frozen=True)
class Config:
    width: int = 32  # of the matrices that are shown
    heads: int = 4
    epochs: int = 100
    seed: int = 0


SCALES = {"smoke": Config(), "laptop": Config(), "paper": Config()}  # nothing is trained
TABLES = {
    "matrix": ("encoding", "x", ...),  # and a column for each of the encoding
    "distance": ("encoding", "apart", "value"),
    "example": ("base", "x", "c0", "c1", "c2", "c3"),
    "sweep": ("base", "width", "nearest"),
    "frequency": ("base", "pair", "period"),
    "properties": ("encoding", ...),
    "layernorm": ("norm", "encoding", "factor", "moved"),
}
PARTS = ("shapes", "layernorm")


@torch.no_grad()
def measure(config: Config, part: str) -> Rows:
    """The numbers that stand for an epoch or a distance, in no network; and what each encoding does in one.

    The random numbers of one table follow those of the table before it."""
    torch.manual_seed(config.seed)
    epochs, width, heads = config.epochs, config.width, config.heads
    if part == "layernorm":
        return {"layernorm": pd.DataFrame(moved_by_an_encoding(width, heads, config.seed))}
    return {
        "matrix": matrices(epochs, width, heads),
        "distance": distances(epochs, width, heads),
        "example": pd.concat(wide(SinCos(4, n).embed(steps(4))[0], base=n) for n in (4.0, 10_000.0)),
        "sweep": pd.DataFrame(nearest(epochs)),
        "frequency": periods(width),
        "properties": pd.DataFrame({"encoding": n} | properties(EncodingConfig(n)) for n in ENCODINGS),
    }


def steps(epochs: int) -> Tensor:
    return torch.arange(1.0, epochs + 1)[None]  # (1, epochs)


def wide(code: Tensor, **more: object) -> pd.DataFrame:
    """A row for each epoch, a column for each column of the encoding."""
    left = pd.DataFrame(more | {"x": range(1, len(code) + 1)})
    return left.join(pd.DataFrame(code.numpy().round(3)).add_prefix("c"))


def matrices(epochs: int, width: int, heads: int) -> pd.DataFrame:
    """What is added to a token at each epoch."""
    kinds = {name: EncodingConfig(name) for name in ENCODINGS}
    kinds["sincos-4"] = EncodingConfig("sincos", base=4)
    frames = []
    for name, config in kinds.items():
        encoding = make(config, width, heads)
        if hasattr(encoding, "embed"):
            frames.append(wide(encoding.embed(steps(epochs))[0], encoding=name))
    return pd.concat(frames)


def distances(epochs: int, width: int, heads: int) -> pd.DataFrame:
    """How a distance changes a score of the first head: the bias, or <q, k> after rotation for q = k = (1, …, 1)."""
    reach, frames = epochs - 1, []
    apart = torch.arange(-reach, reach + 1.0)  # of the token that is read, seen from the reader
    reader = torch.full((1, 1), float(epochs))
    for name in BY_DISTANCE:
        encoding = make(EncodingConfig(name), width, heads)
        for parameter in encoding.parameters():
            nn.init.normal_(parameter)  # learned numbers start at zero, which shows nothing
        if name == "rope":
            ones = torch.ones(1, 1, 1, width // heads)
            every = ones.expand(-1, -1, len(apart), -1)  # (1, 1, 2 reach + 1, d/H)
            read = encoding.rotate(every, reader + apart)
            value = (encoding.rotate(ones, reader) * read).mean(-1)[0, 0]
        else:
            value = encoding.bias(reader, reader + apart)[0, 0, 0]
        columns = {"encoding": name, "apart": apart.int().numpy(), "value": value.numpy().round(4)}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames)


def nearest(epochs: int) -> Iterator[dict[str, float]]:
    """Distance between the two nearest epochs, by base and width."""
    for base, width in product(BASES, WIDTHS):
        codes = SinCos(width, base).embed(steps(epochs))[0].double()  # (epochs, d)
        yield {"base": base, "width": width, "nearest": torch.pdist(codes).min().item()}


def periods(width: int) -> pd.DataFrame:
    """Epochs until each pair of columns repeats."""
    spans = {base: 2 * torch.pi / frequencies(width, base) for base in (4.0, 100.0, 10_000.0)}
    pairs = {"pair": range(width // 2)}
    return pd.concat(pd.DataFrame({"base": n} | pairs | {"period": one.numpy()}) for n, one in spans.items())


def estimates(rows: Rows) -> Estimates:
    """{(encoding, norm, factor): how far a hidden state moves}, {(base, width): distance of the two nearest epochs}"""
    moved = rows["layernorm"].set_index(["encoding", "norm", "factor"])["moved"]
    near = rows["sweep"].set_index(["base", "width"])["nearest"]
    # only weights and one permutation are random here, so most numbers have no interval
    return there({key: Interval.exactly(value) for key, value in [*moved.items(), *near.items()]})


def codes(rows: pd.DataFrame, **which: object) -> np.ndarray:
    """Epochs by columns."""
    return where(rows, **which).filter(regex=r"^c\d+$").dropna(axis=1).to_numpy()


def cosines(code: np.ndarray) -> np.ndarray:
    """Cosine similarity of all pairs of rows; of a row of zeros it is zero."""
    unit = code / np.maximum(np.linalg.norm(code, axis=1, keepdims=True), 1e-9)
    return unit @ unit.T


def draw(rows: Rows) -> dict[str, Figure]:
    """An image of nothing cannot be drawn: a part that was not measured is left out."""
    made = {}
    if len(rows["matrix"]):
        made = {"matrices": draw_matrices(rows["matrix"]), "similarity": draw_similarity(rows)}
        made["bases"] = draw_bases(rows)
    if len(rows["layernorm"]):
        made["layernorm"] = draw_layernorm(rows["layernorm"])
    return made


def edges(axes: np.ndarray, across: str) -> None:
    """Say what the axes are, at the left and below."""
    for axis in axes[:, 0]:
        axis.set_ylabel("epoch")
    for axis in axes[-1]:
        axis.set_xlabel(across)


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
        low, high = (matrix.min(), matrix.max()) if biased else (-1, 1)
        places = (0.5, 100.5, 100.5, 0.5)
        axis.imshow(matrix, cmap=ONE_WAY, vmin=low, vmax=high, interpolation="nearest", extent=places)
        axis.set_title(TITLES[name])
        axis.grid(visible=False)
    edges(axes, "epoch")
    return figure


def by_distance(rows: pd.DataFrame) -> np.ndarray:
    """A value for each distance -> a square matrix: epoch of the reading token by epoch of the token that is read."""
    value = rows.set_index("apart")["value"]
    epochs = np.arange(int(value.index.max()) + 1)
    return np.stack([value.loc[epochs - reader].to_numpy() for reader in epochs])


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
    titles = {"euclidean": "Euclidean, as written", "raw": "scaled and weighted: raw epoch"}
    looks = {"euclidean": "epoch not given", "raw": "epoch given"}
    for axis, norm in zip(axes, NORMS, strict=True):
        mean_lines(axis, where(rows, norm=norm), "factor", "moved", "encoding", looks, ".-", label=titles.get)
        axis.set(xscale="log", yscale="log", xlabel="factor of the encoding")
    axes[0].set_ylabel("largest change of a hidden state")
    legend(figure, axes, 2)
    return figure


def tabulate(rows: Rows) -> Rows:
    proved = rows["properties"].drop(columns="part")
    return {
        "properties": proved.assign(encoding=proved["encoding"].map(TITLES)).astype(str),
        "example": example_table(rows["example"]),
    }


def example_table(rows: pd.DataFrame) -> pd.DataFrame:
    four, usual = (where(rows, base=base).set_index("x") for base in (4, 10_000))
    columns = {"sin k": four["c0"], "cos k": four["c1"], "n = 4: sin k/2": four["c2"], "n = 4: cos k/2": four["c3"],
               "n = 10,000: sin k/100": usual["c2"], "n = 10,000: cos k/100": usual["c3"]}  # fmt: skip
    cells = {"k": [str(x - 1) for x in four.index]}
    return pd.DataFrame(cells | {name: [f"{v:.3f}" for v in values] for name, values in columns.items()})


def claims() -> list[Claim]:
    euclidean = "does adding the Euclidean encoding (the distance from the start, in all columns)"
    return [
        Claim("prenorm_is_blind", f"In a pre-norm network with random weights, {euclidean} leave hidden states as they are?",
              ("euclidean", "pre", 1), Below(0.001)),
        Claim("postnorm_sees", f"In this post-norm network with random weights, {euclidean} change hidden states?",
              ("euclidean", "post", 1), Above(0.1)),
        Claim("rows_differ", "With 32 sin–cos columns and base 10,000, are even the two nearest of 100 epochs well "
              "separated?", (10_000, 32), Above(0.1)),
    ]  # fmt: skip
