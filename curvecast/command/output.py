"""Bands of forecasts in a file: CSV, JSON, SVG or PNG, by its suffix. The whole file or none."""

import csv
import io
import json
import os.path
from pathlib import Path
from typing import Any

from curvecast.forecasting.forecast import in_a_picture
from curvecast.forecasting.forecasts import Forecasts
from curvecast.ground import whole_file
from curvecast.ground.errors import demand, installed

KINDS = (".csv", ".json", ".svg", ".png")
MOST = 40  # runs in one picture


def check(path: Path, sources: list[str]) -> None:
    """Before the work: can this be written, and is it not what is read?"""
    # os.path says False where Path raises: a name too long, a folder that may not be read
    there = [source for source in sources if os.path.exists(source)] if os.path.exists(path) else []
    read = any(os.path.samefile(source, path) for source in there)
    demand(not read, f"{path} is one of the files that are read: give -o another name")
    demand(path.suffix in KINDS, f"{path}: the suffix says what to write: use one of {', '.join(KINDS)}")
    demand(os.path.isdir(path.parent), f"{path}: there is no folder {path.parent}; make it first")


def write(path: Path, forecasts: Forecasts, told: list[dict[str, Any]]) -> None:
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
