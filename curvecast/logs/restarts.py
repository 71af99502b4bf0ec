"""Where the steps of a log go back: was the training restarted, are rows out of order, or are these several runs?"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

MOST_RESTARTS = 100
NO_NAMES = ("nan", "inf", "infinity", "na", "n/a", "none", "null", "true", "false")


class Back(NamedTuple):
    """A restart: the log goes back from its last step so far to an earlier one."""

    last: float
    step: float
    line: int | None
    anew: bool  # to the first step, or before it
    drops: int  # rows that later ones replace


@dataclass
class Timeline:
    """Where the steps of a run go back, or those of a wide table, of all its columns at once."""

    rows: int = 0  # that were read
    backs: list[Back] = field(default_factory=list)
    dropped: set[float] = field(default_factory=set)  # steps of rows that later ones replace
    furthest: float = -1.0  # of these
    again: int = 0  # rows behind a restart, up to the furthest step, whose step had been there before
    fresh: int = 0  # and those whose step had not
    # further columns that keep their value from the beginning of a start to its end: one for each start
    beside: dict[str, list[Any]] | None = None
    last: dict[str, Any] = field(default_factory=dict)  # cells of the row before

    def row(self, step: float) -> None:
        self.rows += 1
        if step <= self.furthest:
            had = step in self.dropped
            self.again, self.fresh = self.again + had, self.fresh + (not had)

    def back(self, back: Back, dropped: list[float]) -> None:
        self.backs.append(back)
        self.dropped.update(dropped)
        self.furthest = max(self.furthest, back.last)

    def note(self, cells: dict[str, Any], taken: tuple[str | None, ...]) -> None:
        """Of a row that was added, the cells of further columns."""
        self.last = cells
        if self.beside is None:
            self.beside = {column: [cell] for column, cell in cells.items() if column not in taken}
        for column, values in list(self.beside.items()):
            if len(values) == len(self.backs):  # the first row of a start
                values.append(cells.get(column))
            elif values[-1] != cells.get(column):
                del self.beside[column]

    def renamed(self, cells: dict[str, Any], taken: tuple[str | None, ...]) -> str | None:
        """A further column that has another name than in the row before, as that of a metric does."""
        for name in sorted(cells.keys() - set(taken)):
            was = self.last.get(name)
            if _is_name(was) and _is_name(cells[name]) and was != cells[name]:
                return name
        return None

    def column_of_starts(self) -> str | None:
        """A further column that differs from start to start, as that of a seed does."""
        every = (self.beside or {}).items()
        return next((name for name, values in every if len({*map(str, values)}) == len(self.backs) + 1), None)

    def restarted(self) -> bool:
        """Or are rows out of order, or those of several runs? Where in doubt they are."""
        anew = {back.anew for back in self.backs}
        # what was before a last start that began anew counts no more
        drops = sum(back.drops for back in self.backs if not (back.anew and self.backs[-1].anew))
        few = len(self.backs) <= MOST_RESTARTS and 4 * len(self.backs) < self.rows
        alike = len(self.backs) <= 3 or len(anew) == 1
        # two runs that take turns replace half of what is read
        small = len(self.backs) == 1 or 3 * drops <= self.rows
        return few and alike and small and self.again >= self.fresh


def _is_name(cell: Any) -> bool:
    return isinstance(cell, str) and cell[:1].isalpha() and cell.lower() not in NO_NAMES
