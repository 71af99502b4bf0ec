"""From rows of regret: how many times faster a rule reaches the final regret of never stopping, and its lead over a rival."""

import numpy as np
import pandas as pd

from curvecast.scores.pools_of_runs import regrets, sooner
from presswork.intervals import Interval, Over

Array = np.ndarray


def budget(rows: pd.DataFrame) -> int:
    """All that may be spent: the last of the columns of regret."""
    return max((int(column) for column in rows.columns if column.isdigit()), default=0)


def ends(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """By rule, the regret of each task when all is spent."""
    return {method: table.iloc[:, -1] for method, table in regrets(rows).items()}


def more_regret(left: dict[str, pd.Series], method: str, rival: str) -> Interval | None:
    """How much more regret one rule ends with than another, on the same tasks, by `ends`."""
    return Interval.of_many(left[method] - left[rival]) if {method, rival} <= set(left) else None


def gain(found: dict[str, Array], method: str, over: Over = ()) -> Interval | None:
    """How many times faster than never stopping, by `times` of the rows, `over` their tasks; 0 says never."""
    return Interval.of_resamples(sooner(found, method), over) if method in found else None


def faster(found: dict[str, Array], method: str, rival: str, most: int, over: Over) -> Interval | None:
    """How many times as fast as a rival; who never gets there counts as if it did with the last of the budget."""
    if not {rival, method} <= set(found):
        return None
    return Interval.of_resamples(np.minimum(found[rival], most) / np.minimum(found[method], most), over)


def cell(found: Interval, form: str = "{} ({} to {})") -> str:
    """In a table: 1.9 (1.4 to 2.4), or never."""
    value, low, high = (f"{x:.1f}" if x else "never" for x in found)
    return value if low == high else form.format(value, low, high)
