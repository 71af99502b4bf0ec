"""The networks that questions train: their names and files, how far they are, and what they cost.

Nothing heavy is imported before a network is named: pages ask here whether their weights are still the same.
"""

import json
import math
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from presswork.ground.plugin import Paused, Plugin, Share


class Networks(Plugin):
    folder, suffix = "weights", ".safetensors"

    def made_before(self, value: Any) -> bool:
        """Is it the config of a training? torch is not imported to look."""
        return "TrainConfig" in [kind.__name__ for kind in type(value).__mro__]

    def name(self, value: Any) -> str:
        from curvecast.training import train

        return train.name(value)

    def made(self, value: Any) -> bool:
        from curvecast.training import train

        return train.is_trained(value)

    def path(self, value: Any) -> Path:
        from curvecast.training import train

        return Path(train.weights_path(value))

    def make(self, value: Any, minutes: float | None = None, over: Callable[[], bool] | None = None) -> float:
        """Train it; a queue (`over`) shows no bar."""
        from curvecast.training import train

        try:
            forecaster = train.trained(value, minutes=minutes, progress=over is None, over=over)
        except train.Paused as paused:
            raise Paused(str(paused)) from None
        return forecaster.history[-1].get("core_seconds", 0.0) / 3600 if forecaster.history else 0.0

    def file(self, name: str, published: bool, root: Path) -> Path:
        """Of a network that is used as it was published, also within the package."""
        path = super().file(name, published, root)
        return path if path.is_file() else next(root.glob(f"curvecast/*/weights/{name}{self.suffix}"), path)

    # ----------------------------------------------------------------------------------------------- what they cost
    def published(self, root: Path) -> list[Path]:
        return sorted((root / self.folder / "published").glob(f"*{self.suffix}"))

    def seconds(self, name: str, root: Path) -> float:
        """From the header of its published weights, else scaled from the network most like it."""
        took = {path.stem: entry["seconds"] for path in self.published(root) if (entry := history(path))}
        like = most_like(name, took)
        return took[like] * math.prod(size(name)) / math.prod(size(like)) if like else math.nan

    def megabytes(self, name: str, root: Path) -> float:
        sizes = {path.stem: path.stat().st_size / 1e6 for path in self.published(root)}
        like = most_like(name, sizes)
        return sizes[like] * size(name)[0] / size(like)[0] if like else math.nan

    def share(self, name: str, root: Path) -> Share | None:
        path = checkpoint(name, root)
        if entry := history(path):
            return Share(entry["curves"] / size(name)[1], entry["seconds"], path.stat().st_mtime)
        return None


def checkpoint(name: str, root: Path) -> Path:
    return root / "runs" / "checkpoints" / f"{name}.newest"


def most_like(model: str, others: Iterable[str]) -> str:
    """Itself, else the one that costs most nearly as much to train; empty where there are no others."""
    cost = math.log(math.prod(size(model)))
    distance = {name: abs(math.log(math.prod(size(name))) - cost) for name in others}
    return min(distance, key=lambda name: (name != model, distance[name]), default="")


def size(model: str) -> tuple[int, int]:
    """ours-3x128-196k-536ef90dfbdd -> parameters, but for a factor, and curves; of a name that does not say, a guess"""
    layers, width, count, unit = re.findall(r"(\d+)x(\d+)-(\d+)([kM])", f"{model}-2x96-60k")[0]
    curves = int(count) * (1000 if unit == "k" else 1_000_000)
    return int(layers) * int(width) ** 2, curves or 500  # 0k: fewer than a thousand


def history(path: Path) -> dict[str, float]:
    """The last entry of the history in the header of weights or of a checkpoint; empty where there is none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, "np") as file:
            entry = json.loads(file.metadata()["history"])[-1]
        return {name: float(entry[name]) for name in ("curves", "seconds")}
    except (SafetensorError, OSError, ValueError, TypeError, LookupError):
        return {}


def probe(config: Any) -> float:
    """Seconds for a curve, from three steps where it would be trained: of one thread on a processor, else by the clock."""
    import torch

    from curvecast.training import train
    from curvecast.training.steps import Training

    threads, device = torch.get_num_threads(), train.usual_device()
    torch.set_num_threads(1)
    clock = time.process_time if device == "cpu" else time.monotonic
    wait = torch.cpu.synchronize if device == "cpu" else torch.cuda.synchronize
    with Training(config, config.network(), device) as training:
        training.step(0)
        wait()
        begin = clock()
        for step in (1, 2, 3):
            training.step(step)
        wait()
        took = clock() - begin
    torch.set_num_threads(threads)
    return took / 3 / float(config.batch)
