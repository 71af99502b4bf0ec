"""TensorBoard's event files into runs: a folder with such files is a run, one scalar of it the curve.

tensorboard is an extra and slow to import: only who reads event files meets it. A last record that is cut short ends
a run, as it does in TensorBoard: the training may still be writing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.logs.checked_points import Points, Run, printable
from curvecast.logs.columns import the_one

TOO_MANY = "read fewer folders at once, or write the scalar less often"


def read(path: Path, tag: str | None, deep: bool = True) -> list[Run]:
    """The scalar `tag` of each run below a folder, or of one event file; the only scalar needs no tag.

    deep    False: of a folder its own event files alone, which are one run
    """
    where = printable(str(path), 200)
    points = Points(where, TOO_MANY)
    sources = _sources(path, points) if deep else {path.resolve().name or "run": path}
    accumulator = _accumulator(where)
    loaded = {name: _load(accumulator, source, where) for name, source in sources.items()}
    tags = sorted({tag for run in loaded.values() for tag in _scalars(run)})
    if not tags:
        raise UserError(f"{where} holds no scalars: name a folder in which a training wrote some")
    tag = the_one(tags, tag, where, "scalar")
    for name, run in loaded.items():
        if tag in _scalars(run):  # others are folders of another scalar, such as those of hyperparameters
            points.declare(name, what=tag)
            for step, value in _points(run, tag, where):
                points.add(name, step, value)
    return points.all()


def _sources(path: Path, points: Points) -> dict[str, Path]:
    """Names of runs and where they are."""
    if path.is_file():
        return {path.resolve().parent.name or "run": path}
    folders = sorted({file.parent for file in path.rglob("*tfevents*") if file.is_file()})
    if not folders:
        raise UserError(
            f"{points.where} is a folder without TensorBoard's event files: name a file or another folder"
        )
    points.expect(len(folders))
    if folders == [path]:
        return {path.resolve().name or "run": path}
    return {folder.relative_to(path).as_posix(): folder for folder in folders}


def _accumulator(where: str) -> Any:
    """The part of tensorboard that reads, told to keep all numbers and hardly anything else, and to drop nothing."""
    try:
        from tensorboard.backend.event_processing import (
            event_accumulator as part,
        )
    except ImportError:
        raise UserError(
            f"{where} is a TensorBoard event file: pip install 'curvecast[tensorboard]' reads it"
        ) from None
    keep = dict.fromkeys(part.DEFAULT_SIZE_GUIDANCE, 1) | {part.SCALARS: 0, part.TENSORS: 0}
    return lambda source: part.EventAccumulator(str(source), size_guidance=keep, purge_orphaned_data=False)


def _load(accumulator: Any, source: Path, where: str) -> Any:
    try:
        return accumulator(source).Reload()
    except OSError:
        raise
    except Exception as error:  # protobuf's, and whatever a damaged file makes of tensorboard
        place = f"{where} ({printable(source.name)})"
        raise UserError(
            f"{place} cannot be read as event files ({type(error).__name__}): take it away"
        ) from error


def _scalars(run: Any) -> list[str]:
    """Tags of numbers: plain ones, and tensors that the writer called scalars."""
    found = run.Tags()
    tensors = [
        tag for tag in found["tensors"] if run.SummaryMetadata(tag).plugin_data.plugin_name == "scalars"
    ]
    return found["scalars"] + tensors


def _points(run: Any, tag: str, where: str) -> Iterator[tuple[float, float]]:
    if tag in run.Tags()["scalars"]:
        yield from ((float(event.step), float(event.value)) for event in run.Scalars(tag))
        return
    from tensorboard.util import tensor_util

    for event in run.Tensors(tag):
        try:
            yield float(event.step), float(tensor_util.make_ndarray(event.tensor_proto).item())
        except (ValueError, TypeError, AttributeError):
            raise UserError(
                f"{where}: '{printable(tag)}' is not one number at step {event.step}: choose another scalar"
            ) from None
