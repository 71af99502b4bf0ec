"""From a prior to weights: every step trains on new curves.

`trained(config)` is the only cache of weights: it loads them, trains, or resumes a training that was stopped.
A training that was paused, killed and resumed gives the same weights as an uninterrupted one.
Shapes: B = curves, T = context points, Q = queries.
"""

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from curvecast.curves import by_number
from curvecast.ground import weights, weights_file
from curvecast.ground.config import digest, restore
from curvecast.ground.errors import UserError, reading
from curvecast.networks import bars
from curvecast.networks.heads import Density
from curvecast.networks.model import ModelConfig
from curvecast.training.batches import TrainConfig
from curvecast.training.steps import Training

BEHAVIOUR = 2  # raise by hand when the same config trains to other weights

History = list[dict[str, float]]


class Paused(Exception):
    """The time was over; the checkpoint is on disk, and the same call resumes from it."""


@dataclass(frozen=True)
class Forecaster:
    """Trained weights and all that is needed to use them."""

    config: TrainConfig
    model: Any  # a heads.Network; a PFN if it is released or came from `load`
    history: History  # of the training, as `fit` returns it

    @torch.no_grad()
    def predict(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Density:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> one density a query.

        In the network's most compact form, if it has one: ten components in place of a thousand masses.
        """
        check(x, y, x_query, mask)
        if hasattr(self.model, "density"):
            compact: Density = self.model.density(x, y, x_query, mask)
            return compact
        return bars.Bars(self.model.borders, self.model(x, y, x_query, mask))

    @torch.no_grad()
    def log_density(self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor) -> Tensor:
        """`predict(...).log_density(y_query)` (B, Q), but much faster: only the buckets of y_query are computed."""
        return self.model.log_density(x, y, x_query, y_query)


def behaviour(config: TrainConfig) -> dict[str, int]:
    """The BEHAVIOUR numbers that the weights depend on."""
    always = {"bars": bars.BEHAVIOUR, "train": BEHAVIOUR} | config.prior.behaviour()
    numbers = {"by_number": by_number.BEHAVIOUR} if config.draws == "number" else {}
    return always | numbers | config.behaviour()


def name(config: TrainConfig) -> str:
    """The name of the weights: a readable label, and a hash of config and behaviour."""
    return f"{config.label()}-{digest(config, behaviour=behaviour(config))}"


def weights_path(config: TrainConfig, root: Path = Path("weights")) -> Path:
    return root / f"{name(config)}.safetensors"


def is_trained(config: TrainConfig) -> bool:
    return weights_path(config).exists()


def trained(
    config: TrainConfig,
    minutes: float | None = None,
    progress: bool = True,
    root: Path = Path("weights"),
    checkpoints: Path = Path("runs/checkpoints"),
    device: str | None = None,
    over: Callable[[], bool] | None = None,
) -> Forecaster:
    """The forecaster of this config. Raises Paused when `minutes` are over before the training is, or `over` says so."""
    path = weights_path(config, root)
    if path.exists():
        state, info = weights.read(path)
        return _forecaster(config, state, info, path)
    checkpoint = checkpoints / path.stem
    with Training(config, config.network(), device or usual_device()) as training:
        net, history = training.net, fit(training, checkpoint, minutes, progress, over=over)
    # of a network that is not a PFN the header names the kind, which the config does not show
    kind = {} if isinstance(config.model, ModelConfig) else {"network": config.model.label}
    weights.write(path, net.cpu().state_dict(), weights.header(config, behaviour(config), history) | kind)
    for written in checkpoints.glob(f"{path.stem}.*"):
        written.unlink()
    return Forecaster(config, net.eval(), history)


def load(path: str | Path) -> Forecaster:
    """A PFN from its one file: config, prior, borders, behaviour and weights."""
    path = Path(path)
    state, info = weights.read(path)
    today = {"bars": bars.BEHAVIOUR} | ModelConfig().behaviour()
    with reading(path, "does not hold what its header says", "delete it or fetch it again"):
        config = restore(TrainConfig, weights_file.config_of(info, path, today))
        return _forecaster(config, state, info, path)


def _forecaster(config: TrainConfig, state: weights.State, info: dict[str, str], path: Path) -> Forecaster:
    net = config.model.network(state["borders"])
    weights.fill(net, state, path)
    return Forecaster(config, net.eval(), json.loads(info["history"]))


def usual_device() -> str:
    """Where a training runs, unless somebody says where."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def fit(
    training: Training,
    checkpoint: Path | None = None,
    minutes: float | None = None,
    progress: bool = False,
    reports: int = 200,
    over: Callable[[], bool] | None = None,
) -> History:
    """All steps, from the checkpoint on if there is one. It is written anew every 45 seconds, or every twenty times what
    writing costs; a kill meanwhile leaves the one before. A damaged one is an error.

    `over` is asked after each step, and may wait. Without a checkpoint path nothing is written, and the training cannot be
    paused. The history has about `reports` entries: curves so far, mean loss since the previous entry, seconds, and seconds
    of all cores together.
    """
    config, steps = training.config, training.steps
    done, history = weights.resume(checkpoint, training.net, training.optimiser) if checkpoint else (0, [])
    begin = saved = time.monotonic()
    pause = 45.0
    begin_of_cores = time.process_time()
    before: dict[str, Any] = history[-1] if history else {}
    earlier, earlier_of_cores = before.get("seconds", 0.0), before.get("core_seconds", 0.0)
    if "since" in before:  # a checkpoint came amid an entry
        history.pop()
    losses: list[Tensor] = [torch.tensor(loss, device=training.device) for loss in before.get("since", ())]
    often = 0.5 if sys.stderr.isatty() else 30  # in a log file one line every half minute
    with tqdm(
        total=steps * config.batch, initial=done * config.batch, desc=name(config), disable=not progress,
        unit=" curves", unit_scale=True, mininterval=often, dynamic_ncols=True,
    ) as bar:  # fmt: skip
        for step in range(done, steps):
            losses.append(training.step(step))
            bar.update(config.batch)
            now, last = time.monotonic(), step == steps - 1
            stop = (minutes is not None and now - begin > 60 * minutes) or (over is not None and over())
            save = checkpoint is not None and not last and (stop or now - saved > pause)
            due = last or len(losses) >= max(1, steps // reports)
            if not (save or due):
                continue
            loss = torch.stack(losses).mean().item()
            if not math.isfinite(loss):
                became = f"the loss of {name(config)} became {loss} at step {step}"
                raise UserError(f"{became}: lower TrainConfig.lr")
            seconds = round(earlier + now - begin, 2)
            of_cores = round(earlier_of_cores + time.process_time() - begin_of_cores, 2)
            curves = (step + 1) * config.batch
            entry = {"curves": curves, "loss": loss, "seconds": seconds, "core_seconds": of_cores}
            unfinished: list[Any] = [] if due else [entry | {"since": [loss.item() for loss in losses]}]
            if due:
                history.append(entry)
                losses.clear()
                bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            if checkpoint and save:
                begun = time.monotonic()
                so_far = history + unfinished
                weights.checkpoint(checkpoint, training.net, training.optimiser, step + 1, so_far)
                saved = time.monotonic()
                pause = max(45.0, 20 * (saved - begun))
                if stop:
                    raise Paused(f"{name(config)} paused at {(step + 1) / steps:.0%}; run it again to go on")
    return history


def check(x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None) -> None:
    """Raise a UserError for inputs that cannot be forecast."""
    seen = torch.ones_like(x, dtype=torch.bool) if mask is None else mask  # (B, T)
    if x.shape[1] == 0 or not seen.any(1).all():
        raise UserError("a curve without a single observed point cannot be forecast: leave it out")
    if not (torch.isfinite(y[seen]).all() and torch.isfinite(x[seen]).all()):
        raise UserError("an observed value or its epoch is NaN or infinite: leave it out with the mask")
    if (seen & (x <= 0)).any() or not ((x_query > 0) & torch.isfinite(x_query)).all():
        raise UserError("epochs count from 1: there is one of 0 or less, or none at all")
    # hidden epochs get distinct negative numbers
    epochs = torch.where(seen, x, -torch.arange(1.0, x.shape[1] + 1, device=x.device))
    twice = epochs.sort(1).values.diff(dim=1).eq(0).any(1)
    if twice.any():
        curve = int(twice.nonzero()[0])
        way = "keep one of its values, or their mean"
        raise UserError(f"curve {curve} (counted from 0) has an epoch twice: {way}")
