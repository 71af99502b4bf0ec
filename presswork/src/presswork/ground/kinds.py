"""Is what a function of a question returned of its kind? Told by the names of classes, so that nothing is imported for it."""

from collections.abc import Callable, Iterable
from typing import Any

from presswork.ground.errors import UserError, demand

SHOWN = {  # by function: the kind of each, and all of it
    "estimates": ("Interval", "{key: Interval}"),
    "draw": ("Figure", '{"name": Figure}, of matplotlib'),
    "tabulate": ("DataFrame", '{"name": DataFrame}'),
    "claims": ("Claim", "[Claim(…), …]"),
}


def is_a(value: object, kind: str) -> bool:
    return kind in (one.__name__ for one in type(value).__mro__)


def tables(where: str, measured: Any) -> dict[str, Any]:
    """What `measure` returned, by table; what of it would be lost on the disk is refused."""
    several = measured if isinstance(measured, dict) else {"rows": _yielded(measured)}
    fits = several and all(is_a(table, "DataFrame") for table in several.values())
    demand(fits, f"{where}: `measure` must return a DataFrame or {{table: DataFrame}}, or yield dicts.")
    for name, table in several.items():
        index, columns, told = table.index, table.columns, f"{where}: the table {name!r} of `measure` has"
        named = index.nlevels > 1 or index.name is not None or index.inferred_type not in ("integer", "empty")
        way_out = "which is not stored: end with .reset_index()"
        demand(not named or table.empty, f"{told} labels in its index, {way_out}.")
        demand(len(columns), f"{told} no columns: name them also where there are no rows.")
        alone = columns.nlevels == 1 and columns.is_unique
        demand(alone, f"{told} columns of one name, or of several levels: give each a name of its own.")
    return several


def _yielded(rows: Any) -> Any:
    """A table of rows that come one after another; else what it is."""
    if is_a(rows, "DataFrame") or not isinstance(rows, Iterable):
        return rows
    from pandas import DataFrame

    listed = list(rows)
    table = None if any(is_a(row, "DataFrame") for row in listed) else DataFrame(listed)
    return table if table is not None and all(isinstance(name, str) for name in table) else None


def shown(line: Callable[[str], str], function: str, returned: Any) -> Any:
    """What estimates, draw, tabulate or claims returned; of estimates without what was not found."""
    kind, form = SHOWN[function]
    if function == "estimates" and isinstance(returned, dict):
        returned = {key: one for key, one in returned.items() if one is not None}
    if function == "claims" and isinstance(returned, Iterable):
        returned = list(returned)
    fits = isinstance(returned, list if function == "claims" else dict)
    each = returned.values() if isinstance(returned, dict) else returned
    if not fits or not all(is_a(one, kind) for one in each):
        raise UserError(f"{line(function)}: `{function}` must return {form}.")
    for name in returned if function in ("draw", "tabulate") else ():
        if "/" in f"{name}":
            wrong = f"{name!r} of `{function}` cannot be the name of a file"
            raise UserError(f"{line(function)}: {wrong}: leave out '/'.")
    return returned
