"""What a training step and a forecast cost, in turns with others in the same process, and the memory for a gradient."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, UntypedStorage

from curvecast.curves import prior
from curvecast.training.steps import Training
from reproduce.backbones import _trainings
from reproduce.backbones._trainings import Setting
from reproduce.protocols.timing import core_seconds

SEEN, BATCH = 50, 16  # where memory is counted


class Runner(NamedTuple):
    training: Training
    x: Tensor
    y: Tensor
    x_query: Tensor


def half_curves(count: int) -> tuple[Tensor, Tensor, Tensor]:
    """Epochs (n, T) and values (n, T), and the epochs of the second half, which are forecast."""
    y = prior.test_set(count).noisy
    x = torch.arange(1.0, y.shape[1] + 1).expand(y.shape)
    return x, y, x[:, SEEN:]


def runner(model: Any, setting: Setting, forecasts: int) -> Runner:
    train = _trainings.training(model, setting, 64_000, 0)
    return Runner(Training(train, train.network()), *half_curves(forecasts))


def turn(runner: Runner, steps: int) -> dict[str, float]:
    step = core_seconds(partial(_some_steps, runner, steps)) / steps
    forecast = core_seconds(partial(_forecast, runner)) / len(runner.x)
    return {"step": step, "forecast": forecast, "kept": kept_by(runner)}


def _some_steps(runner: Runner, steps: int) -> None:
    for i in range(steps):  # always the same batches, with the same cutoffs for all rows
        runner.training.step(i)


def _forecast(runner: Runner) -> None:
    net = runner.training.net.eval()
    net.density(runner.x[:, :SEEN], runner.y[:, :SEEN], runner.x_query)
    net.train()


def kept_by(runner: Runner) -> int:
    """Bytes that one pass over 16 half curves stores for its gradient."""
    x, y = runner.x[:BATCH], runner.y[:BATCH]
    parts = x[:, :SEEN], y[:, :SEEN], x[:, SEEN:], y[:, SEEN:]
    return kept(runner.training.parameters, partial(runner.training.net.log_density, *parts))


def kept(weights: Iterable[Tensor], forward: Callable[[], object]) -> int:
    """Bytes that a pass stores for a gradient, without its weights; storage that several tensors share counts once."""
    anyway = {p.untyped_storage().data_ptr() for p in weights}
    held: dict[int, UntypedStorage] = {}  # the storage itself, since the address of a freed one is used again

    def hold(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in anyway:
            held[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor):
        forward()
    return sum(storage.nbytes() for storage in held.values())
