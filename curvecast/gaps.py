"""A training for runs as they are logged: epochs missing here and there, every k-th alone, few and far apart.

Curves, steps and queries are those of the usual training; of half the groups of a batch the context loses some of its
epochs. A network that has only seen whole beginnings is too sure of itself where a beginning has holes.
"""

import math
import time
from pathlib import Path

import torch
from torch import Tensor
from tqdm import tqdm

from curvecast import weights
from curvecast.batches import Batch, TrainConfig, seed_of
from curvecast.config import digest
from curvecast.errors import UserError
from curvecast.model import PFN
from curvecast.steps import Training
from curvecast.train import Forecaster, Paused, behaviour, load

BEHAVIOUR = 1  # raise by hand when the same config trains to other weights

SHARE = 0.6  # of the groups: their context has holes


class GapTraining(Training):
    def step(self, i: int) -> Tensor:
        self.i = i
        return super().step(i)

    def gradient(self, group: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        T = group.x.shape[1]
        generator = torch.Generator().manual_seed(seed_of(self.config.seed, f"gaps/{self.i}", T))
        some = kept(T, generator).to(group.x.device)
        return super().gradient(group._replace(x=group.x[:, some], y=group.y[:, some]))


def kept(T: int, generator: torch.Generator) -> Tensor:
    """Which of the epochs 1 .. T were logged: indices, rising, at least one of them."""
    kind, share, place = torch.rand(3, generator=generator).tolist()
    every = torch.arange(T)
    if kind > SHARE:
        return every
    if kind < SHARE / 3:  # every k-th
        k = 1 + int(10**share)  # 2 .. 10
        return every[k - 1 :: k] if k <= T else every[-1:]
    head = (
        int(place * T) if kind < 2 * SHARE / 3 else 0
    )  # all of them to here, then some; or some from the start
    few = (
        math.exp(math.log(2 / T) * share) if T > 2 else 1.0
    )  # share of what is kept: from all down to two or so
    some = every[(torch.rand(T, generator=generator) < few) | (every < head)]
    return some if len(some) else every[-1:]


def trained(
    config: TrainConfig, minutes: float | None = None, root: Path = Path("weights"),
    checkpoints: Path = Path("runs/checkpoints"),
) -> Forecaster:  # fmt: skip
    """As train.trained, with holes: the forecaster from the cache, or trained, or gone on with."""
    path = root / f"gaps-{digest(config, behaviour=behaviour() | {'gaps': BEHAVIOUR})}.safetensors"
    if not path.exists():
        net, history = train(config, checkpoints / path.stem, minutes)
        weights.write(path, net.state_dict(), weights.header(config, behaviour(), history))
        for old in checkpoints.glob(f"{path.stem}.*"):
            old.unlink()
    return load(path)


def train(
    config: TrainConfig, checkpoint: Path, minutes: float | None = None
) -> tuple[PFN, list[dict[str, float]]]:
    """All steps, from the newest sound checkpoint on; one is written every minute."""
    with GapTraining(config) as training:
        done, history = weights.resume(checkpoint, training.net, training.optimiser)
        begin = saved = time.monotonic()
        before = history[-1]["seconds"] if history else 0.0
        losses: list[Tensor] = []
        for i in tqdm(range(done, training.steps), initial=done, total=training.steps, desc="with gaps"):
            losses.append(training.step(i))
            now, last = time.monotonic(), i == training.steps - 1
            over = minutes is not None and now - begin > 60 * minutes and not last
            if not (over or last or now - saved > 45):
                continue
            loss = torch.stack(losses).mean().item()
            if not math.isfinite(loss):
                raise UserError(f"the loss became {loss} at step {i}: lower TrainConfig.lr")
            seconds = round(before + now - begin, 2)
            history.append({"curves": (i + 1) * config.batch, "loss": loss, "seconds": seconds})
            losses.clear()
            saved = now
            if not last:
                weights.checkpoint(checkpoint, training.net, training.optimiser, i + 1, history)
            if over:
                raise Paused(f"paused at {(i + 1) / training.steps:.0%}; run it again to go on")
    return training.net.eval(), history
