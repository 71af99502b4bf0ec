"""Forecasts as a table in a terminal: one line a run, and below what there is to warn of; and bands in a file."""

import csv
import io
import json
import os.path
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from curvecast.forecasting.first_passage import TOLD
from curvecast.forecasting.forecast import Forecast, in_a_picture
from curvecast.forecasting.forecasts import Forecasts
from curvecast.forecasting.log_steps import ScalingForecast
from curvecast.ground import whole_file
from curvecast.ground.errors import LONGEST_NAME, demand, installed, printable
from curvecast.ground.progress import percent

BLOCKS = "▁▂▃▄▅▆▇█"
PLAIN = str.maketrans(BLOCKS + "│–“”…", "_.:-=+*#" + '|-"".')  # as many characters, so that columns stay


def table(
    forecasts: Forecasts,
    told: list[dict[str, Any]],
    target: float | None = None,
    paces: Sequence[float | None] = (),
) -> str:
    head = ["run", "observed", "last", "at the horizon", "90 % interval", "beats", "in_prior", ""]
    lines = [[*_cells(run, one), sparkline(run)] for run, one in zip(forecasts, told, strict=True)]
    laws = [run for run in forecasts if isinstance(run, ScalingForecast)]
    if laws:
        head[6:7] = ["limit", "exponent"]
        for line, law in zip(lines, laws, strict=True):
            line[6:7] = [f"{law.limit():.4g}", f"{law.exponent():.2g}"]
    if "prob_best" in told[0]:
        head.insert(1, "is best")
        for line, one in zip(lines, told, strict=True):
            line.insert(1, percent(one["prob_best"]))
    if target is not None:
        cells = reaching(forecasts, target, paces)
        head, *lines = (inserted(*pair) for pair in zip([head, *lines], cells, strict=True))
    said = "“beats” is the chance to beat the best value so far, or --beat."
    said += "" if target is None else f"\n{REACHES.format(target)}"
    parts = [aligned([head, *lines]), foot(forecasts, f"; {said}"), notes(forecasts, told)]
    return drawn("\n\n".join(part for part in parts if part))


def reaching(runs: Sequence[Forecast], target: float, paces: Sequence[float | None]) -> list[list[str]]:
    """Cells of the head and of each run: the chance to reach a target up to the horizon, and by which step; the hours from
    the last value, where a pace (seconds a step) of any run is known."""
    head = ["reaches", "by step", "in hours"]
    table = [head]
    for run, pace in zip(runs, paces, strict=True):
        when = run.when(target)
        if when.reached is not None:
            table.append(["reached", f"at {when.reached:g}", ""])
        elif not len(run.steps):
            table.append(["", "", ""])
        else:
            steps, hours = [when.by(chance) for chance in TOLD], ""
            if pace is not None:
                ahead = [
                    None if step is None else (step - run.observed_steps[-1]) * pace / 3600 for step in steps
                ]
                hours = ", ".join("–" if one is None else short(one) for one in ahead)
            told = ", ".join("–" if step is None else f"{step:g}" for step in steps)
            table.append([percent(when.chance), told, hours])
    return table if any(pace is not None for pace in paces) else [cells[:2] for cells in table]


def short(hours: float) -> str:
    return f"{hours:.0f}" if hours >= 10 else f"{hours:.2g}"


def inserted(line: list[str], cells: list[str]) -> list[str]:
    """Before the last cell."""
    return [*line[:-1], *cells, line[-1]]


REACHES = "“reaches” is the chance to reach {:g} by then, with the steps by which it is reached with 10, 50 and 90 %."


def notes(forecasts: Forecasts, told: list[dict[str, Any]]) -> str:
    """The warnings, a line each."""
    pairs = zip(forecasts, told, strict=True)
    return "\n".join(f"{named(run.name)}: {text}" for run, one in pairs for text in one["warnings"])


def drawn(text: str) -> str:
    """As standard output can show it: an ASCII terminal would show blocks as a row of ?."""
    try:
        (BLOCKS + "│").encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return text.translate(PLAIN)
    return text


def aligned(lines: list[list[str]]) -> str:
    """Columns side by side: the first and the last to the left, the others to the right."""
    columns = []
    for i, cells in enumerate(zip(*lines, strict=True)):
        widest, left = max(map(width, cells)), i in (0, len(lines[0]) - 1)
        spaces = [" " * (widest - width(cell)) for cell in cells]
        columns.append([cell + s if left else s + cell for cell, s in zip(cells, spaces, strict=True)])
    return "\n".join("  ".join(line).rstrip() for line in zip(*columns, strict=True))


def width(text: str) -> int:
    """Of a text in a terminal: a Chinese character or an emoji takes two cells, an accent that is put on top none."""
    if text.isascii():
        return len(text)
    seen = [c for c in unicodedata.normalize("NFC", text) if unicodedata.category(c) not in ("Mn", "Me")]
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in seen)


def named(name: str) -> str:
    """Of a long name both ends: the file begins it, and what tells runs apart is often at the end."""
    half = LONGEST_NAME // 2
    return printable(name if len(name) <= LONGEST_NAME else name[: half - 1] + "…" + name[-half:])


def foot(forecasts: Iterable[Forecast], said: str) -> str:
    """How far they go, what is said of it, and what calibrated them; nothing where all have ended."""
    every = list(forecasts)
    horizons = {run.steps[-1] for run in every if len(run.steps)}
    if not horizons:
        return ""
    finished = max(run.finished for run in every)
    counted = f"{finished} finished run{'s' if finished > 1 else ''}"
    calibrated = f"\nIntervals calibrated on {counted}." if finished else ""
    own = "Each curve has its own horizon, up to" if len(horizons) > 1 else "The horizon is"
    return f"{own} step {max(horizons):g}{said}{calibrated}"


def _cells(run: Forecast, one: dict[str, Any]) -> list[str]:
    seen = [named(run.name), str(len(run.observed)), f"{run.observed[-1]:.4g}"]
    in_prior = "–" if one["in_prior"] is None else f"{one['in_prior']:.2g}"
    if not len(run.steps):
        return [*seen, "has ended", "", "", in_prior]
    low, high = (side[-1] for side in run.interval(0.9))
    chance = percent(one["prob_beats_best"])
    return [*seen, f"{run.median[-1]:.4g}", f"{low:.4g} to {high:.4g}", chance, in_prior]


def sparkline(run: Forecast) -> str:
    """What was seen, a bar, and the median of what comes, on one scale."""
    parts = [_thin(run.observed, 12), _thin(run.median, 8)]
    both = np.concatenate(parts)
    low, spread = both.min(), max(float(np.ptp(both)), 1e-12)
    text = ["".join(BLOCKS[int(7.999 * (v - low) / spread)] for v in part) for part in parts]
    return "│".join(text)


def _thin(values: np.ndarray, n: int) -> np.ndarray:
    if len(values) <= n:
        return values
    return values[np.linspace(0, len(values) - 1, n).round().astype(int)]


# -----------------------------------------------------------------------------------------------------------
# Bands of forecasts in a file: CSV, JSON, SVG or PNG, by its suffix. The whole file or none.

KINDS = (".csv", ".json", ".svg", ".png")
MOST = 40  # runs in one picture


def check_output(path: Path, sources: list[str]) -> None:
    """Before the work: can this be written, and is it not what is read?"""
    # os.path says False where Path raises: a name too long, a folder that may not be read
    there = [source for source in sources if os.path.exists(source)] if os.path.exists(path) else []
    read = any(os.path.samefile(source, path) for source in there)
    demand(not read, f"{path} is one of the files that are read: give -o another name")
    demand(path.suffix in KINDS, f"{path}: the suffix says what to write: use one of {', '.join(KINDS)}")
    demand(os.path.isdir(path.parent), f"{path}: there is no folder {path.parent}; make it first")


def write_output(path: Path, forecasts: Forecasts, told: list[dict[str, Any]]) -> None:
    if path.suffix == ".csv":
        data = as_csv(told)
    elif path.suffix == ".json":
        data = (json.dumps({"runs": told}, allow_nan=False) + "\n").encode()
    else:
        data = _picture(path.suffix[1:], forecasts)
    whole_file.write(path, data)


def as_csv(told: list[dict[str, Any]]) -> bytes:
    """One row a run and step."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = ["median", "q05", "q25", "q75", "q95"]
    writer.writerow(["run", "step", *columns])
    for run in told:
        rows = zip(*(run[column] for column in ("steps", *columns)), strict=True)
        writer.writerows([plain_text(run["name"]), *row] for row in rows)
    return text.getvalue().encode(errors="replace")


def plain_text(name: str) -> str:
    """A name that a spreadsheet would take for a formula gets a ' before it, and is text."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _picture(kind: str, forecasts: Forecasts) -> bytes:
    n = len(forecasts)
    demand(n <= MOST, f"{n} runs are too many for one picture: choose {MOST} or fewer, or write .csv")
    with installed("matplotlib is not installed: pip install 'curvecast[plot]'"):
        from matplotlib.figure import Figure
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.subplots()
    for run in forecasts:
        run.plot(ax)
    if len(forecasts) > 1:
        ax.legend(frameon=False, fontsize="small")
    else:
        ax.set_title(in_a_picture(forecasts[0].name))
    out = io.BytesIO()
    figure.savefig(out, format=kind, dpi=150)
    return out.getvalue()
