"""How fast this machine is beside those of receipts: a question times the same training steps on all of them."""

import csv
import math
from pathlib import Path
from statistics import median

from presswork import contract, run
from presswork.answers import packed, receipts
from presswork.ground.blog import HOMES, SCALES
from presswork.telling.cost import kind

PROBE, PART = "backbone_speeds", "speeds"  # the question, and its part


def probed(root: Path) -> dict[str, dict[str, float]]:
    """{kind of machine: {network: seconds of a training step}}, as published."""
    found: dict[str, dict[str, float]] = {}
    for folder in (root / HOMES["published"] / PROBE / scale for scale in SCALES[1:]):
        for note in (note for note in receipts.of(folder) if note["part"] == PART):
            steps: dict[str, list[float]] = {}
            for row in csv.DictReader(packed.table(folder, f"rows.{PART}.csv").decode().splitlines()):
                if row["step"]:  # a forecast in closed form trains nothing
                    steps.setdefault(row["backbone"], []).append(float(row["step"]))
            found.setdefault(kind(note), {name: median(times) for name, times in steps.items()})
    return found


def ratio(here: dict[str, float], there: dict[str, float]) -> float:
    return median([here[name] / there[name] for name in here if name in there] or [math.nan])


def paces(root: Path) -> dict[str, float]:
    """Seconds here for each one on another kind of machine, from some of the published steps made again."""
    if not (elsewhere := probed(root)):
        return {}
    question, published = contract.load(PROBE, root), root / HOMES["published"]
    read = {name: run.rows_of(name, question, "laptop", published, root) for name in question.reads("laptop")}
    rows = question.module.measure(question.module.PROBE, PART, read)["rows"]
    here = rows.groupby("backbone")["step"].median().to_dict()
    return {there: ratio(here, times) for there, times in elsewhere.items()}
