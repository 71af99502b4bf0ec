"""The runs of a plan, trained one after another on one thread; several processes share the work by sharing out runs."""

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
    """A run of any learner but the networks of a bank, or one of these alone."""
    if run.learner == "networks":
        return train_bank([run])[0]
    if run.learner == "sizes":
        return sample_size.train(run)
    return passes.train(run) if run.learner in ("sgd", "mlp") else ensembles.train(run)


def train_bank(runs: list[Run]) -> list[Measured]:
    """Networks that share all that a bank shares."""
    shapes = {_shape(run) for run in runs}
    assert len(shapes) == 1, "networks of several shapes cannot be trained side by side"
    return mlp_bank.train(shapes.pop(), [_member(run) for run in runs])


def _shape(run: Run) -> Shape:
    found: Shape = restore(Shape, _own(run, Shape) | {"task": run.task, "epochs": run.steps})
    return found


def _member(run: Run) -> Member:
    found: Member = restore(Member, _own(run, Member) | {"seed": run.seed})
    return found


def _own(run: Run, kind: type) -> dict[str, object]:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in run.settings.items() if name in names}


@contextmanager
def one_thread() -> Iterator[None]:
    """Small products gain nothing from several threads, and processes side by side lose by them.

    Numbers that are almost zero count as zero meanwhile: networks that are very sure are many times slower else.
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
