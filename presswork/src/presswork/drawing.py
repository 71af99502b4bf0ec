"""Figures, tables and claims of an answer, made from its rows on disk without models or training."""

from pathlib import Path
from typing import Any

from presswork import store
from presswork.answers import claims_file
from presswork.claim import BadClaim
from presswork.contract import Question
from presswork.ground.errors import UserError


def draw(question: Question, scale: str, figures: Path) -> tuple[int, int] | None:
    """Make figures, tables and claims from the rows on disk. Returns the number of parts there and in all."""
    folder = figures / question.name / scale
    parts = question.parts(scale)
    rows, count = rows_on_disk(question, scale, figures)
    if rows is None:
        return None
    found = question.estimates(rows, scale)
    tables, claims = stated(question, rows, scale, found)
    files = drawings(question, rows, scale, found) | tables | {claims_file.FILE: claims_file.as_bytes(claims)}
    for name, data in files.items():
        if len(data) > 1_000_000:
            size = f"{len(data) / 1e6:.1f} MB"
            raise UserError(f"{question.name}/{name} would be {size}; draw fewer points, 1 MB is the limit.")
    store.write_drawn(folder, files)
    if count == len(parts):  # until then the old ones are better than none
        store.drop_old_parts(folder, parts)
    return count, len(parts)


def rows_on_disk(question: Question, scale: str, figures: Path) -> tuple[Any, int]:
    """The rows of all parts that are there, in the tables that the question declares, and the number of parts."""
    rows, count = store.read(figures / question.name / scale, question.parts(scale))
    if rows is None:
        return None, count
    question.check(rows if isinstance(rows, dict) else {"rows": rows})
    return question.whole(rows, scale), count


def drawings(question: Question, rows: Any, scale: str, found: Any = None) -> dict[str, bytes]:
    """What an answer shows: its figures as SVG, which the site must be able to make dark, by the names of their files."""
    from presswork import palette, style

    files = {}
    with style.looks():
        for name, figure in question.show("draw", rows, scale, found).items():
            files[f"{name}.light.svg"] = light = style.svg(figure)
            if unknown := palette.unknown_colours(light):
                way_out = "take colour(), ink() or faint() of presswork.style, or add a method of this colour to the plugin"
                drawn = f"{question.name}/{name} is drawn in {', '.join(unknown)}, which has no dark form"
                raise UserError(f"{drawn}: {way_out}.")
    return files


def stated(
    question: Question, rows: Any, scale: str, found: Any = None
) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    """What an answer says: its tables as CSV and its estimates, by the names of their files, and its claims."""
    found = question.estimates(rows, scale) if found is None else found
    tables = question.show("tabulate", rows, scale, found)
    files = {f"{name}.table.csv": store.csv(table) for name, table in tables.items()}
    if found:
        files[claims_file.ESTIMATES] = claims_file.estimates_as_bytes(found)
    try:
        claims = question.show("claims", rows, scale, found)
        names = [claim.name for claim in claims]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise BadClaim(f"two claims are called {twice[0]}")
        return files, [claim.as_json() for claim in claims]
    except BadClaim as error:
        raise UserError(f"{question.line('claims')}: {error}") from error
