"""How much of the time of a backbone is in its own matrix products and Fourier transforms, however the rest is written."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from torch.utils._python_dispatch import TorchDispatchMode

from presswork import style
from reproduce.backbones import _rows
from reproduce.protocols.timing import core_seconds, in_turns

PRODUCTS = (
    "mm", "addmm", "bmm", "baddbmm", "_fft_r2c", "_fft_c2r", "_fft_c2c", "mkldnn_convolution",
    "_scaled_dot_product_flash_attention_for_cpu",
)  # fmt: skip
FAR = 3  # times as long as its products


class InProducts(TorchDispatchMode):
    """Core seconds in these operations."""

    seconds = 0.0

    def __torch_dispatch__(self, work: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        begin = time.process_time()
        result = work(*args, **(kwargs or {}))
        self.seconds += time.process_time() - begin if work.__name__.partition(".")[0] in PRODUCTS else 0
        return result


def measured(passes: Mapping[str, Callable[[], object]], rounds: int) -> pd.DataFrame:
    """In turns, each once as it is and once with a watch on every product."""

    def turn(read: Callable[[], object]) -> dict[str, float]:
        seconds = core_seconds(read)
        with InProducts() as watch:
            read()
        return {"seconds": seconds, "products": watch.seconds}

    turns = in_turns({name: partial(turn, read) for name, read in passes.items()}, rounds)
    return pd.DataFrame([{"backbone": name, "round": number} | costs for number, name, costs in turns])


def drawn(products: pd.DataFrame) -> Figure:
    """A row for each backbone, in the order of the ratio."""
    ratio = products["seconds"] / products["products"]
    times = ratio.groupby(products["backbone"]).median().sort_values(ascending=False)
    figure, axis = plt.subplots(figsize=(6, 0.9 + 0.22 * len(times)))
    axis.scatter(times, range(len(times)), color=[_rows.colour(str(name)) for name in times.index])
    axis.axvline(FAR, color=style.ink(), linewidth=1, linestyle=":")
    axis.set(xscale="log", xlabel="time / time in its own products (left is better)")
    axis.xaxis.set_major_formatter("{x:g}")
    axis.set_yticks(range(len(times)), list(times.index))
    return figure
