"""What a user gives, as numbers: runs with holes, steps, names. Or one sentence on what is wrong with it."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from curvecast.forecasting.epochs import Axis, axis
from curvecast.ground.errors import UserError, demand
from curvecast.logs.columns import STEPS

MOST_RUNS = 50_000  # in one call: what is known of each takes thirty kilobytes


class Seen(NamedTuple):
    """One run, without its holes."""

    steps: np.ndarray
    values: np.ndarray
    axis: Axis


def is_run(value: Any) -> bool:
    """Numbers in a row: a list, an array of any library, a column of a table."""
    if hasattr(value, "__array__"):
        return np.ndim(value) > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def runs_of(values: Any) -> tuple[list[Any], bool]:
    """One run or many, and which it was."""
    if not is_run(values):
        raise UserError(f"values are {values!r}: give a list of numbers, or a list of such lists")
    if len(values) > MOST_RUNS and is_run(next(iter(values))):
        raise UserError(f"there are {len(values):,} runs: at most {MOST_RUNS:,} in one call; split them")
    many = len(values) > 0 and all(is_run(v) for v in values)
    return (list(values) if many else [values]), many


def of_table(values: Any, steps: Any, names: Any) -> tuple[Any, Any, Any]:
    """A pandas table, or a column of one: columns are runs, empty cells holes, and the index the steps.

    An index without a name that counts from 0 was made by pandas itself, and is none.
    """
    if not hasattr(values, "notna"):
        return values, steps, names
    own = values.index.name is not None or not np.array_equal(values.index, np.arange(len(values)))
    steps = values.index.to_numpy() if steps is None and own else steps
    cells = values.astype(object).where(values.notna(), None).to_numpy()
    if cells.ndim == 1:
        return cells, steps, names
    demand(len(values.columns), "the table has no columns: give one for each run")
    if of_steps := [name for name in values.columns if str(name).lower() in STEPS]:
        raise UserError(f"column {of_steps[0]!r} holds steps: make it the index, .set_index({of_steps[0]!r})")
    return cells.T, steps, list(values.columns) if names is None else names


def steps_of(steps: Any, n: int, many: bool) -> tuple[list[Any], bool]:
    """Steps for each of n runs: given for each, once for all (the second answer is True), or not at all."""
    if steps is not None and not is_run(steps):
        raise UserError(f"steps are {steps!r}: give a list of numbers, or one such list for each run")
    if steps is None or not many or not all(is_run(s) for s in steps):
        return [steps] * n, many
    demand(len(steps) == n, f"there are {n} runs but steps for {len(steps)}")
    return list(steps), False


def names_of(names: Any, n: int) -> list[str]:
    if names is None:
        return [f"run {i + 1}" for i in range(n)]
    if not is_run(names):
        raise UserError(f"names are {names!r}: give a list with a name for each run")
    demand(len(names) == n, f"there are {n} runs but {len(names)} names")
    return [str(name) for name in names]


def clean(run: Any, steps: Any, shared: bool, where: str) -> Seen:
    """What was seen. Steps that many runs share may go on after the end of this one. Whoever read a log has a Seen."""
    if isinstance(run, Seen):
        return run
    values = [_measured(v, f"{where}: value {i + 1}") for i, v in enumerate(run)]
    demand(any(v is not None for v in values), f"{where} has no value: give at least one")
    at = _rising(steps, len(values), shared, where)
    there = [i for i, v in enumerate(values) if v is not None]
    return Seen(at[there], np.array([values[i] for i in there], dtype=float), axis(at))


def _rising(steps: Any, n: int, shared: bool, where: str) -> np.ndarray:
    if steps is None:
        return np.arange(1.0, n + 1)
    demand(len(steps) == n or (len(steps) > n and shared), f"{where} has {n} values but {len(steps)} steps")
    own = [_measured(s, f"{where}: step {i + 1}") for i, s in enumerate(steps)][:n]
    if None in own:
        raise UserError(f"{where}: step {own.index(None) + 1} is missing")
    at = np.array(own, dtype=float)
    demand(at.min() >= 0, f"{where}: a step is negative: steps start at 0 or above")
    if not (np.diff(at) > 0).all():
        i = int(np.flatnonzero(np.diff(at) <= 0)[0])
        way = "steps must rise; sort them, or remove a restart"
        raise UserError(f"{where}: step {at[i + 1]:.12g} comes after {at[i]:.12g}: {way}")
    return at


def _measured(value: Any, what: str) -> float | None:
    """A number; None where there is a hole."""
    if value is None or value is np.ma.masked:
        return None
    demand(not isinstance(value, str), f"{what} is {value!r}: give a number")
    return number(
        value,
        what,
        "cut the run before it; for a missing value give None, or leave it out (in pandas: dropna)",
    )


def number(value: Any, what: str, way: str = "give a number") -> float:
    try:
        as_float = float(value)
    except OverflowError:
        as_float = math.inf
    except (TypeError, ValueError):
        raise UserError(f"{what} is {value!r}: give a number") from None
    demand(math.isfinite(as_float), f"{what} is {as_float}: {way}")
    return as_float
