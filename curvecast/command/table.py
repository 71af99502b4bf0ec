"""Forecasts as a table in a terminal: one line a run, and below what there is to warn of."""

import sys
import unicodedata
from typing import Any

import numpy as np

from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.forecasts import Forecasts
from curvecast.forecasting.in_words import percent
from curvecast.ground.errors import LONGEST_NAME, printable

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = str.maketrans(BLOCKS + "│–“”…", "_.:-=+*#" + '|-"".')  # as many characters, so that columns stay


def table(forecasts: Forecasts, told: list[dict[str, Any]]) -> str:
    head = ["run", "observed", "last", "at the horizon", "90 % interval", "beats", "in_prior", ""]
    lines = [[*_cells(run, one), sparkline(run)] for run, one in zip(forecasts, told, strict=True)]
    if "prob_best" in told[0]:
        head.insert(1, "is best")
        for line, one in zip(lines, told, strict=True):
            line.insert(1, percent(one["prob_best"]))
    parts = [aligned([head, *lines]), _foot(forecasts), notes(forecasts, told)]
    text = "\n\n".join(part for part in parts if part)
    return text if shows_blocks() else text.translate(PLAIN)


def notes(forecasts: Forecasts, told: list[dict[str, Any]]) -> str:
    """The warnings, a line each."""
    pairs = zip(forecasts, told, strict=True)
    return "\n".join(f"{named(run.name)}: {text}" for run, one in pairs for text in one["warnings"])


def shows_blocks() -> bool:
    """Can standard output take all that a table is drawn with? An ASCII terminal would show a row of ?."""
    try:
        (BLOCKS + "│").encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def aligned(lines: list[list[str]]) -> str:
    """Columns side by side: the first and the last to the left, the others to the right."""
    columns = [
        _column(cells, i in (0, len(lines[0]) - 1)) for i, cells in enumerate(zip(*lines, strict=True))
    ]
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def _column(cells: tuple[str, ...], left: bool) -> list[str]:
    widest = max(map(width, cells))
    spaces = [" " * (widest - width(cell)) for cell in cells]
    return [cell + space if left else space + cell for cell, space in zip(cells, spaces, strict=True)]


def width(text: str) -> int:
    """Of a text in a terminal: a Chinese character or an emoji takes two cells, an accent that is put on top none."""
    if text.isascii():
        return len(text)
    return sum(_cell_count(character) for character in unicodedata.normalize("NFC", text))


def _cell_count(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def named(name: str) -> str:
    """Of a long name both ends: the file begins it, and what tells runs apart is often at the end."""
    half = LONGEST_NAME // 2
    return printable(name if len(name) <= LONGEST_NAME else name[: half - 1] + "…" + name[-half:])


def _foot(forecasts: Forecasts) -> str:
    horizon = max((run.steps[-1] for run in forecasts if len(run.steps)), default=None)
    if horizon is None:
        return ""
    said = f"The horizon is step {horizon:g}; “beats” is the chance to beat the best value so far, or --beat."
    finished = max(run.finished for run in forecasts)
    return said + (f"\nIntervals calibrated on {counted(finished)}." if finished else "")


def counted(finished: int) -> str:
    return f"{finished} finished run{'s' if finished > 1 else ''}"


def _cells(run: Forecast, one: dict[str, Any]) -> list[str]:
    seen = [named(run.name), str(len(run.observed)), f"{run.observed[-1]:.4g}"]
    if not len(run.steps):
        return [*seen, "has ended", "", "", _percent(one["in_prior"])]
    low, high = (side[-1] for side in run.interval(0.9))
    ahead = [
        f"{run.median[-1]:.4g}",
        f"{low:.4g} to {high:.4g}",
        percent(one["prob_beats_best"]),
    ]
    return [*seen, *ahead, _percent(one["in_prior"])]


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2g}"


def sparkline(run: Forecast, seen: int = 12, ahead: int = 8) -> str:
    """What was seen, a bar, and the median of what comes, on one scale."""
    parts = [_thin(run.observed, seen), _thin(run.median, ahead)]
    both = np.concatenate(parts)
    low, spread = both.min(), max(float(np.ptp(both)), 1e-12)
    text = ["".join(BLOCKS[int(7.999 * (v - low) / spread)] for v in part) for part in parts]
    return "│".join(text)


def _thin(values: np.ndarray, n: int) -> np.ndarray:
    if len(values) <= n:
        return values
    return values[np.linspace(0, len(values) - 1, n).round().astype(int)]
