"""The shapes of positional encodings as figures and tables. A part that was not measured is left out."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reproduce._press import claim_text
from reproduce._press.style import colour, ink
from reproduce._press.where import Rows
from reproduce.encoding._cells import CELLS
from reproduce.pictures.panels import legend, panels

TITLES = {name: shown.title for name, shown in CELLS.items()} | {"raw": "raw epoch"}
TABLES = (
    "sincos",
    "sincos-4",
    "learned",
    "scrambled-coded",
    "scrambled-described",
    "euclidean",
    "raw",
    "log",
)
BY_DISTANCE = ("rope", "alibi", "t5", "shaw")
DIVERGING, ONE_WAY = "RdBu_r", "cividis"  # with a middle, and without; readable with any colour vision


def figures(rows: Rows) -> dict[str, Figure]:
    made = {}
    if "matrix" in rows:
        made = {
            "matrices": _matrices(rows),
            "similarity": _similarity(rows),
            "scrambled": _scrambled(rows),
            "bases": _bases(rows),
        }
    if "layernorm" in rows:
        made["layernorm"] = _layernorm(rows["layernorm"])
    if "learned" in rows:
        made["learned"] = _learned(rows["learned"])
    return made


def codes(rows: pd.DataFrame) -> np.ndarray:
    """Epochs by columns."""
    return rows.filter(regex=r"^c\d+$").dropna(axis=1).to_numpy()


def _matrices(rows: Rows) -> Figure:
    figure, axes = plt.subplots(2, 4, figsize=(10, 5.4), sharex=True, sharey=True)
    for axis, name in zip(axes.flat, TABLES, strict=True):
        code = codes(rows["matrix"][rows["matrix"]["encoding"] == name])
        size = np.abs(code).max()
        image = axis.imshow(code, cmap=DIVERGING, vmin=-size, vmax=size, aspect="auto", interpolation="nearest",
                            extent=(0, code.shape[1], 100.5, 0.5))  # fmt: skip
        axis.set_title(f"{TITLES[name]}\nrange ±{size:.2g}")
        axis.grid(visible=False)
    figure.colorbar(image, ax=axes, shrink=0.6, ticks=[]).set_label("value, from −range to +range")
    for axis in axes[:, 0]:
        axis.set_ylabel("epoch")
    for axis in axes[-1]:
        axis.set_xlabel("column")
    return figure


def _similarity(rows: Rows) -> Figure:
    figure, axes = plt.subplots(3, 4, figsize=(10, 7.8), sharex=True, sharey=True)
    for axis, name in zip(axes.flat, (*TABLES, *BY_DISTANCE), strict=True):
        if name in BY_DISTANCE:
            matrix = _toeplitz(rows["distance"][rows["distance"]["encoding"] == name])
        else:
            matrix = cosines(codes(rows["matrix"][rows["matrix"]["encoding"] == name]))
        low, high = (-1, 1) if name not in BY_DISTANCE[1:] else (matrix.min(), matrix.max())
        _image(axis, matrix, low, high)
        axis.set_title(TITLES[name])
    for axis in axes[:, 0]:
        axis.set_ylabel("epoch")
    for axis in axes[-1]:
        axis.set_xlabel("epoch")
    return figure


def cosines(code: np.ndarray) -> np.ndarray:
    """Cosine similarity of all pairs of rows; of a row of zeros it is zero."""
    unit = code / np.maximum(np.linalg.norm(code, axis=1, keepdims=True), 1e-9)
    return unit @ unit.T


def _toeplitz(rows: pd.DataFrame) -> np.ndarray:
    """A value for each distance -> a square matrix: epoch of the reading token by epoch of the token that is read."""
    value = rows.set_index("apart")["value"]
    size = int(value.index.max()) + 1
    apart = np.arange(size)[None, :] - np.arange(size)[:, None]
    return value.loc[apart.flatten()].to_numpy().reshape(size, size)


def _scrambled(rows: Rows) -> Figure:
    names = ("learned", "scrambled-described", "scrambled-coded")
    figure, axes = panels([TITLES[name] for name in names], (9, 3.4), sharey=True)
    for axis, name in zip(axes, names, strict=True):
        mine = rows["deal"][rows["deal"]["encoding"] == name]
        axis.plot(mine["x"], mine["row"], ".", color=colour("encoding learned"), markersize=4)
        axis.set_xlabel("epoch")
    axes[0].set_ylabel("row of the table")
    return figure


def _bases(rows: Rows) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6))
    styles = dict(zip((4.0, 100.0, 10_000.0), ("-", "--", ":"), strict=True))
    for base, mine in rows["frequency"].groupby("base"):
        left.plot(mine["pair"], mine["period"], color=colour("encoding sincos"), linestyle=styles[float(str(base))],
                  label=f"n = {float(str(base)):,.0f}")  # fmt: skip
    left.axhline(100, color=ink(), linewidth=1)
    left.annotate("length of a curve", (0, 100), xytext=(2, 4), textcoords="offset points", fontsize=8)
    left.set(yscale="log", xlabel="pair of columns, i", ylabel="epochs until the pair repeats")
    left.legend()
    for width, mine in rows["sweep"].groupby("width"):
        right.plot(mine["base"], mine["nearest"], ".-", color=colour("encoding sincos"), linewidth=1)
        end = mine.iloc[-1]
        right.annotate(f"d = {width}", (end["base"], end["nearest"]), xytext=(5, -3), textcoords="offset points",
                       fontsize=8)  # fmt: skip
    right.set(xscale="log", yscale="log", xlabel="base n", ylabel="distance between the two nearest epochs")
    right.set_xlim(right=1e6)
    return figure


def _layernorm(rows: pd.DataFrame) -> Figure:
    titles = {"pre": "LayerNorm before each layer", "post": "LayerNorm after each layer"}
    figure, axes = panels(titles.values(), (8.4, 3.4), sharey=True)
    names = {"euclidean": "Euclidean, as written", "raw": "scaled and weighted: raw epoch"}
    colours = {"euclidean": colour("epoch not given"), "raw": colour("epoch given")}
    for axis, norm in zip(axes, titles, strict=True):
        for name, label in names.items():
            mine = rows[(rows["norm"] == norm) & (rows["encoding"] == name)]
            axis.plot(mine["factor"], mine["moved"], ".-", color=colours[name], label=label)
        axis.set(xscale="log", yscale="log", xlabel="factor of the encoding")
    axes[0].set_ylabel("largest change of a hidden state")
    legend(figure, axes, 2)
    return figure


def _learned(rows: pd.DataFrame) -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(7.4, 3.6), sharey=True)
    for axis, when in zip(axes, ("before", "after"), strict=True):
        _image(axis, cosines(codes(rows[(rows["when"] == when) & (rows["seed"] == 0)])))
        axis.set(title=f"{when} training", xlabel="epoch")
    axes[0].set_ylabel("epoch")
    figure.colorbar(axes[1].images[0], ax=axes, shrink=0.8).set_label("cosine similarity of two rows")
    return figure


def _image(axis: Axes, matrix: np.ndarray, low: float = -1, high: float = 1) -> None:
    places = (0.5, 100.5, 100.5, 0.5)
    axis.imshow(matrix, cmap=ONE_WAY, vmin=low, vmax=high, interpolation="nearest", extent=places)
    axis.grid(visible=False)


def tables(rows: Rows) -> dict[str, pd.DataFrame]:
    made = {}
    if "properties" in rows:
        found = rows["properties"].drop(columns="part", errors="ignore")
        made["properties"] = found.assign(encoding=found["encoding"].map(TITLES)).astype(str)
        made["example"] = _example(rows["example"])
        made["sweep"] = _sweep(rows["sweep"])
    if "layernorm" in rows:
        at_one = rows["layernorm"][rows["layernorm"]["factor"] == 1].set_index(["encoding", "norm"])["moved"]
        made["layernorm"] = pd.DataFrame({
            "encoding": ["Euclidean", "raw epoch"],
            "LayerNorm before each layer": [claim_text.number(at_one[name, "pre"]) for name in ("euclidean", "raw")],
            "LayerNorm after each layer": [claim_text.number(at_one[name, "post"]) for name in ("euclidean", "raw")],
        })  # fmt: skip
    return made


def _example(rows: pd.DataFrame) -> pd.DataFrame:
    four, usual = (rows[rows["base"] == base].set_index("x") for base in (4.0, 10_000.0))
    columns = {"sin k": four["c0"], "cos k": four["c1"], "n = 4: sin k/2": four["c2"], "n = 4: cos k/2": four["c3"],
               "n = 10,000: sin k/100": usual["c2"], "n = 10,000: cos k/100": usual["c3"]}  # fmt: skip
    cells = {"k": [str(x - 1) for x in four.index]}
    return pd.DataFrame(cells | {name: [f"{v:.3f}" for v in values] for name, values in columns.items()})


def _sweep(rows: pd.DataFrame) -> pd.DataFrame:
    cells = rows.pivot(index="base", columns="width", values="nearest")
    shown = pd.DataFrame({"base n": [f"{base:,.0f}" for base in cells.index]})
    for width in cells:
        shown[f"d = {width}"] = [f"{value:.3f}" for value in cells[width]]
    return shown
