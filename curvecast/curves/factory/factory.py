"""Training the runs of a plan one after another on one thread; processes can share the work run by run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields

import torch

from curvecast.curves.factory import ensembles, mlp_bank, passes, sample_size
from curvecast.curves.factory.measured import Measured
from curvecast.curves.factory.mlp_bank import Member, Shape
from curvecast.curves.factory.plan import Run
from curvecast.ground.config import restore


def train(run: Run) -> Measured:
    """One run of any learner. Networks of one bank train faster together: see `train_bank`."""
    if run.learner == "networks":
        return train_bank([run])[0]
    if run.learner == "sizes":
        return sample_size.train(run)
    return passes.train(run) if run.learner in ("sgd", "mlp") else ensembles.train(run)


def train_bank(runs: list[Run]) -> list[Measured]:
    """Networks of one shape, side by side."""
    shared = [_settings_of(run, Shape) | {"task": run.task, "epochs": run.steps} for run in runs]
    shapes = {restore(Shape, settings) for settings in shared}
    assert len(shapes) == 1, "networks of several shapes cannot be trained side by side"
    members = [restore(Member, _settings_of(run, Member) | {"seed": run.seed}) for run in runs]
    return mlp_bank.train(shapes.pop(), members)


def _settings_of(run: Run, cls: type) -> dict[str, object]:
    names = {field.name for field in fields(cls)}
    return {name: value for name, value in run.settings.items() if name in names}


@contextmanager
def one_thread() -> Iterator[None]:
    """Small products gain nothing from several threads, which also slow down parallel processes.

    Denormal numbers are set to zero: very confident networks would otherwise be many times slower.
    """
    from threadpoolctl import threadpool_limits

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_flush_denormal(False)
        torch.set_num_threads(threads)
