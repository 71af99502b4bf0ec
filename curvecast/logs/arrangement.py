"""From rows to points: which of their names hold runs, steps and values, and what becomes of each row.

A row is its line, or the number of its entry, and its cells by their names; an empty cell is None or left out.

wide    a column a run, and a row a step, whose steps may be counted
long    a row a point, perhaps with the name of its run
"""

from collections.abc import Callable, Iterator
from typing import Any

from curvecast.ground.errors import UserError, demand, printable
from curvecast.logs.checked_points import Points
from curvecast.logs.columns import STEPS, TIMES, TIMESTEPS, Options, listed, without_spread

MOST_ROWS = 1_000_000  # of a table whose cells may be empty
Rows = Iterator[tuple[int, dict[str, Any]]]
Number = Callable[[Any, str, int], float]  # of a cell, its name and its line


def known(names: list[str], chosen: str | None, option: str, where: str) -> None:
    """What was chosen has to be there."""
    if chosen is not None and chosen not in names:
        raise UserError(f"{where} has no '{printable(chosen)}': pass --{option} with one of {listed(names)}")


def all_known(names: list[str], options: Options, where: str) -> None:
    for option in ("run", "step", "value"):
        known(names, getattr(options, option), option, where)


def step_name(names: list[str], chosen: str | None, where: str) -> str:
    """Chosen, or 'step' (so written, or else in large letters), or the only name that means a step."""
    steps = [name for name in names if name.lower() in STEPS] or [name for name in names if name == TIMESTEPS]
    if chosen is not None:
        return chosen
    for name in sorted(steps, key=lambda name: name != "step"):
        if name.lower() == "step" or len(steps) == 1:
            return name
    demand(not steps, f"{where} has several kinds of steps ({listed(steps)}): pass --step with one of them")
    choose = f"pass --step NAME with one of {listed(without_spread(names))}"
    raise UserError(f"{where} has no 'step': {choose}; if none of them counts steps, add one that does")


def wanted(names: list[str], step: str | None, options: Options, where: str) -> list[str]:
    """Of a wide table the names of the runs: other steps are none, unless --value asks for them."""
    runs = [options.value] if options.value else [name for name in names if name != step]
    called = f"'{printable(str(step))}'"
    demand(runs not in ([], [step]), f"{where} has nothing beside {called}: add a column a run")
    further = [name for name in runs if name.lower() in STEPS]
    if further and not options.value:
        both = f"{called} and '{printable(further[0])}'"
        choose = "--value NAME" if options.step else "--step NAME and --value NAME"
        raise UserError(f"{where} has two kinds of steps, {both}: pass {choose}")
    times = [name for name in runs if name.lower() in TIMES]
    if times and len(runs) > len(times) and not options.value:
        rest = listed([name for name in runs if name not in times])
        also = f"also has times, '{printable(times[0])}'"
        raise UserError(f"{where} {also}: pass --value NAME with one of {rest}")
    return runs


def wide(points: Points, rows: Rows, number: Number, step: str | None, runs: list[str]) -> None:
    points.expect(len(runs))
    every: list[float] = []
    for name in runs:
        points.declare(name, every)
    chosen = set(runs)
    for count, (line, cells) in enumerate(rows, 1):
        every.append(float(count) if step is None else number(cells.get(step), step, line))
        if count > MOST_ROWS:
            raise UserError(f"{points.where} has more than {MOST_ROWS:,} rows: {points.fewer}")
        for name, cell in cells.items():
            if cell is not None and name in chosen:
                points.add(name, every[-1], number(cell, name, line), line)


def long(
    points: Points, rows: Rows, number: Number, run: str | None, step: str, value: str, stem: str
) -> None:
    """Without a name of runs all rows are one, called `stem`; a row without a value only says that there is a run."""
    for line, cells in rows:
        name = stem if run is None else cells.get(run)
        if isinstance(name, bool) or not isinstance(name, str | int) or not str(name).strip():
            way = "write a name (a text), or take the row away"
            raise UserError(f"{points.place(line)} does not name its run: {way}")
        points.declare(str(name), what=value)
        if cells.get(value) is not None:
            at, measured = number(cells.get(step), step, line), number(cells[value], value, line)
            points.add(str(name), at, measured, line)
