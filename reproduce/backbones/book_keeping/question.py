"""Do formulas give the sizes of large language models and of our blocks, and the cost of a forecast?

The formulas are those of _sizes.py. Biases and norms are counted for our own blocks, where the numbers must be exact.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import torch
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from curvecast.networks.backbones.families import FAMILIES
from reproduce import printed
from reproduce._press import style
from reproduce._press.claim import Above, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _rows
from reproduce.backbones.book_keeping import task_shapes
from reproduce.backbones.book_keeping.sizes import Shape, shape_of

TABLES = {
    "rows": ("model", "parameters", "two_matrices", "printed"),
    "ours": ("backbone", "parameters", "counted", "points", "products", "counted_products", "cache"),
}
OURS = ("transformer, encoder", "transformer, decoder", "PaLM block", "LaMDA block", "LLaMA block")


@dataclass(frozen=True)
class Config:
    points: tuple[int, ...] = (10, 100, 1000)


LABEL_FREE = dict.fromkeys(
    ("sizes_follow", "ours_follow", "work_follows"), "the model that is farthest off, whichever it is"
)

SCALES = {"smoke": Config((10,)), "laptop": Config(), "paper": Config()}


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    lines = []
    for row in language_models().to_dict("records"):
        shape = Shape(**{field: row[field] for field in SHAPE})
        two = replace(shape, matrices=2)
        lines.append(
            {"model": row["model"], "parameters": shape.parameters, "two_matrices": two.parameters, "printed": row["printed"]}
        )  # fmt: skip
    return {"rows": pd.DataFrame(lines), "ours": _ours(config)}


SHAPE = (  # as columns of the printed table
    "layers", "width", "heads", "head_width", "kv_heads", "feed", "matrices", "vocabulary", "embeddings", "positions",
)  # fmt: skip


def language_models() -> pd.DataFrame:
    return pd.read_csv(Path(printed.__file__).with_name("language_models.csv"))


def _ours(config: Config) -> pd.DataFrame:
    lines = []
    for name in OURS:
        reader = _rows.reader(name)
        shape, net = shape_of(FAMILIES[name], reader.width), reader.backbone.make(reader.width).eval()
        for T in config.points:
            lines.append({
                "backbone": name, "parameters": shape.parameters, "counted": sum(p.numel() for p in net.parameters()),
                "points": T, "products": shape.products(T), "counted_products": profiled(net, reader.width, T),
                "cache": shape.cache(T),
            })  # fmt: skip
    return pd.DataFrame(lines)


@torch.no_grad()
def profiled(net: Any, width: int, T: int) -> int:
    """Operations by torch's counter; attention is unfused, since the counter cannot count inside the fused kernel."""
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        net(torch.zeros(1, T, width), torch.arange(1.0, T + 1)[None], None)
    return int(counter.get_total_flops())


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    """Sizes by formula against printed sizes; and the shapes of tasks, which need no rows."""
    models = rows["rows"]
    figure, axis = plt.subplots(figsize=(6.4, 3.6))
    ends = [models["printed"].min() / 1.5, models["printed"].max() * 1.5]
    axis.plot(ends, ends, color=style.colour("exact"), linewidth=1)
    axis.plot(
        models["printed"], models["parameters"], "o", color=style.colour("ours"), label="by the formula"
    )
    lamda = models[models["model"].str.startswith("LaMDA")]
    axis.plot(lamda["printed"], lamda["two_matrices"], "x", color=style.colour("large"),
              label="LaMDA, with two matrices of its feed-forward")  # fmt: skip
    axis.set(
        xscale="log", yscale="log", xlabel="parameters, as published", ylabel="parameters, by the formula"
    )
    axis.legend()
    return {"sizes": figure, "shapes": task_shapes.draw()}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    models, ours = rows["rows"], rows["ours"]
    large = pd.DataFrame({
        "model": models["model"],
        "by the formula": [f"{n / 1e9:.2f} B" for n in models["parameters"]],
        "published, or counted": [f"{n / 1e9:g} B" for n in models["printed"]],
        "difference": [f"{100 * (share - 1):+.1f} %" for share in models["parameters"] / models["printed"]],
        "with two matrices": [
            f"{n / 1e9:.1f} B" if model.startswith("LaMDA") else ""
            for model, n in zip(models["model"], models["two_matrices"], strict=True)
        ],
    })  # fmt: skip
    blocks = ours.drop_duplicates("backbone")
    small = pd.DataFrame({
        "model": [f"ours: {name}" for name in blocks["backbone"]],
        "by the formula": [f"{n:,}" for n in blocks["parameters"]],
        "published, or counted": [f"{n:,}" for n in blocks["counted"]],
        "difference": [f"{100 * (share - 1):+.1f} %" for share in blocks["parameters"] / blocks["counted"]],
        "with two matrices": "",
    })  # fmt: skip
    sizes = pd.concat([large, small])
    cost = pd.DataFrame({
        "backbone": ours["backbone"], "points": [f"{n:,}" for n in ours["points"]],
        "parameters": [f"{n:,}" for n in ours["parameters"]],
        "parameters counted": [f"{n:,}" for n in ours["counted"]],
        "million operations": [f"{n / 1e6:,.2f}" for n in ours["products"]],
        "profiled (millions)": [f"{n / 1e6:,.2f}" for n in ours["counted_products"]],
        "numbers cached": [f"{n:,}" for n in ours["cache"]],
    })  # fmt: skip
    return {"sizes": sizes, "cost": cost}


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    models, ours = rows["rows"], rows["ours"]
    apart = abs(models["parameters"] / models["printed"] - 1)
    two = where(models, model="LaMDA 137B")
    short = float((1 - two["two_matrices"] / two["printed"]).iloc[0]) if len(two) else None
    exact = abs(ours["parameters"] - ours["counted"])
    work = abs(ours["products"] / ours["counted_products"] - 1)
    return [
        Claim("sizes_follow", "Do the printed sizes of nine large language models follow from one formula?",
              Interval.exactly(float(apart.max()) if len(apart) else None), AtMost(0.01), "%"),
        Claim("lamda_has_three", "With two feed-forward matrices in place of three, does the formula fall far short of the "
              "printed size of LaMDA?",
              Interval.exactly(short), Above(0.2), "%"),
        Claim("ours_follow", "Does the formula count the parameters of our own blocks without an error?",
              Interval.exactly(float(exact.max()) if len(exact) else None), AtMost(0), "parameters"),
        Claim("work_follows", "Does the formula for the operations of our own blocks agree with a profiler?",
              Interval.exactly(float(work.max()) if len(work) else None), AtMost(0.01), "%"),
    ]  # fmt: skip
