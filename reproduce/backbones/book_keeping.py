"""Do formulas give the sizes of large language models and of our blocks, and the cost of a forecast?

    parameters  L (2 d H h + 2 d G h + m d f) + e V d + P d        and biases, and norms
    products    2 T L (the same matrices) + 4 T^2 L H h            multiplications and additions over T points
    cache       2 T L G h

L layers, d width, H heads of width h, G of keys and values, f feed-forward width with m matrices, V words with e tables, P
positions. Biases and norms are counted for our own blocks, where the numbers must be exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.reader import FAMILIES
from curvecast.networks.backbones.stack import inner_width
from curvecast.networks.backbones.transformer import TransformerConfig
from presswork import Above, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from reproduce import printed
from reproduce.backbones import _rows

T5_BUCKETS = 32  # ranges of distances, on either side
TASKS = {  # name: (the task, epochs of the input, epochs of the output)
    "one to one": ("last value\nto final value", (3,), (6,)),
    "one to many": ("first value\nto whole curve", (0,), (1, 2, 3, 4, 5, 6)),
    "many to one": ("beginning\nto final value", (0, 1, 2, 3), (6,)),
    "many to many": ("beginning\nto the rest", (0, 1, 2, 3), (4, 5, 6)),
    "many to many,\nstep by step": ("each value\nto the next", (0, 1, 2, 3, 4, 5), (1, 2, 3, 4, 5, 6)),
}
OURS_ASK = "many to many"  # the task of every row of the comparison
OURS = ("transformer, encoder", "transformer, decoder", "PaLM block", "LaMDA block", "LLaMA block")


@dataclass(frozen=True)
class Config:
    points: tuple[int, ...] = (10, 100, 1000)


SCALES = {"smoke": Config((10,)), "laptop": Config(), "paper": Config()}
TABLES = {
    "rows": ("model", "parameters", "two_matrices", "printed"),
    "ours": ("backbone", "parameters", "counted", "points", "products", "counted_products", "cache"),
}
LABEL_FREE = dict.fromkeys(("sizes_follow", "work_follows"), "the model that is farthest off, any of them")


def measure(config: Config) -> Rows:
    lines = []
    for row in pd.read_csv(Path(printed.__file__).with_name("language_models.csv")).to_dict("records"):
        shape = Shape(**{field: number for field, number in row.items() if field in Shape.__annotations__})
        two = replace(shape, matrices=2)
        lines.append((row["model"], shape.parameters, two.parameters, row["printed"]))
    return {"rows": pd.DataFrame(lines, columns=TABLES["rows"]), "ours": pd.DataFrame(our_blocks(config))}


def our_blocks(config: Config) -> Iterator[dict[str, object]]:
    for name in OURS:
        reader = _rows.reader(name)
        shape, net = shape_of(FAMILIES[name], reader.width), reader.backbone.make(reader.width).eval()
        for T in config.points:
            yield {
                "backbone": name, "parameters": shape.parameters, "counted": sum(p.numel() for p in net.parameters()),
                "points": T, "products": shape.products(T), "counted_products": profiled(net, reader.width, T),
                "cache": shape.cache(T),
            }  # fmt: skip


@torch.no_grad()
def profiled(net: Any, width: int, T: int) -> int:
    """Operations by torch's counter; attention is unfused, since the counter cannot count inside the fused kernel."""
    for part in net.modules():
        if isinstance(part, Attention):
            part.block = T  # smaller blocks leave out the pairs that are masked, which the formula counts
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        net(torch.zeros(1, T, width), torch.arange(1.0, T + 1)[None], None)
    return int(counter.get_total_flops())


@dataclass(frozen=True)
class Shape:
    layers: int  # L
    width: int  # d
    heads: int  # H
    head_width: int  # h
    kv_heads: int  # G
    feed: int  # f
    matrices: int  # m: a gated feed-forward has three
    vocabulary: int = 0  # V
    embeddings: int = 0  # e: 2 where the table that reads is not the one that writes
    positions: int = 0  # P
    bias: bool = False
    norm: int = 0  # numbers of a norm
    norms: int = 0  # of them in a layer, and one after the last
    distances: int = 0  # numbers of a layer for distances, which are added to scores and multiply nothing

    @property
    def of_layer(self) -> int:
        """Parameters of a layer that multiply something."""
        attention = 2 * self.width * self.head_width * (self.heads + self.kv_heads)
        return attention + self.matrices * self.width * self.feed

    @property
    def parameters(self) -> int:
        layer = self.of_layer + self.norms * self.norm + self.distances
        if self.bias:
            layer += self.head_width * (self.heads + 2 * self.kv_heads)
            layer += 2 * self.width + (self.matrices - 1) * self.feed
        tables = (self.embeddings * self.vocabulary + self.positions) * self.width
        return self.layers * layer + self.norm + tables

    def products(self, T: int) -> int:
        """Multiplications and additions, by which profilers count, over T points at once."""
        return 2 * T * self.layers * self.of_layer + 4 * T**2 * self.layers * self.heads * self.head_width

    def cache(self, T: int) -> int:
        """Numbers to be cached of T points, so that the next point can attend to them."""
        return 2 * T * self.layers * self.kv_heads * self.head_width


def shape_of(c: TransformerConfig, width: int) -> Shape:
    norm = width * (2 if c.norm == "layer" and c.bias else 1)
    return Shape(
        c.layers, width, c.heads, width // c.heads, c.kv_heads or c.heads, inner_width(c.feed, width, c.expand),
        2 if c.feed == "gelu" else 3, bias=c.bias, norm=norm, norms=1 if c.parallel else 2,
        distances=T5_BUCKETS * c.heads if c.position == "t5" else 0,
    )  # fmt: skip


def estimates(rows: Rows) -> Estimates:
    """By claim, of the model that is farthest from what it should be; counted, without chance."""
    models, ours = rows["rows"], rows["ours"]
    lamda = where(models, model="LaMDA 137B")
    apart = {
        "sizes_follow": models["parameters"] / models["printed"] - 1,
        "lamda_has_three": 1 - lamda["two_matrices"] / lamda["printed"],
        "work_follows": ours["products"] / ours["counted_products"] - 1,
    }
    return there({name: Interval.exactly(float(abs(one).max())) for name, one in apart.items() if len(one)})


def draw(rows: Rows) -> dict[str, Figure]:
    """Sizes by formula against printed sizes; and the shapes of tasks, which need no rows."""
    models, printed = rows["rows"], rows["rows"]["printed"]
    figure, axis = plt.subplots(figsize=(6.4, 3.6))
    ends = [printed.min() / 1.5, printed.max() * 1.5]
    axis.plot(ends, ends, color=style.colour("exact"), linewidth=1)
    axis.plot(printed, models["parameters"], "o", color=style.colour("ours"), label="by the formula")
    lamda = models[models["model"].str.startswith("LaMDA")]
    axis.plot(lamda["printed"], lamda["two_matrices"], "x", color=style.colour("large"),
              label="LaMDA, with two matrices of its feed-forward")  # fmt: skip
    axis.set(xscale="log", yscale="log")
    axis.set(xlabel="parameters, as published", ylabel="parameters, by the formula")
    axis.legend()
    return {"sizes": figure, "shapes": draw_shapes()}


def draw_shapes() -> Figure:
    figure, axes = plt.subplots(1, len(TASKS), figsize=(10, 2.4), sharey=True)
    line = {"arrowstyle": "-", "color": style.ink(), "lw": 0.5, "alpha": 0.5}
    for axis, (name, (task, inside, outside)) in zip(axes, TASKS.items(), strict=True):
        colour = style.colour("ours" if name == OURS_ASK else "large")
        for x in range(7):
            axis.plot(x, 0, "o", color=colour if x in inside else style.faint(), markersize=6)
            axis.plot(x, 1, "s", color=colour if x in outside else style.faint(), markersize=6)
        for i, o in zip(inside, outside, strict=True) if "step" in name else product(inside, outside):
            axis.annotate("", (o, 0.88), (i, 0.12), arrowprops=line)
        axis.set(title=name, xlim=(-0.6, 6.6), ylim=(-0.3, 1.3), xticks=[])
        axis.set_xlabel(task, fontsize=9)
        axis.grid(visible=False)
    axes[0].set_yticks([0, 1], ["in", "out"])
    return figure


def claims() -> list[Claim]:
    return [
        Claim("sizes_follow", "Do the printed sizes of nine large language models follow from one formula?",
              "sizes_follow", AtMost(0.01), "%"),
        Claim("lamda_has_three", "With two feed-forward matrices in place of three, does the formula fall far short of the "
              "printed size of LaMDA?", "lamda_has_three", Above(0.2), "%"),
        Claim("work_follows", "Does the formula for the operations of our own blocks agree with a profiler?",
              "work_follows", AtMost(0.01), "%"),
    ]  # fmt: skip
