"""How fast are machines, one beside another, and how far off are times foretold from it? See ledger/measured_twice.csv.

`python -m reproduce._press.telling.cost_check` makes this file from all receipts that git has: of the same settings the
newest on each kind of machine with two cores, and on the same kind the two newest.
"""

import csv
import json
import math
import subprocess
from itertools import combinations_with_replacement
from pathlib import Path
from statistics import median

from reproduce._press.answers import packed, receipts
from reproduce._press.answers.answer import HOMES
from reproduce._press.answers.inputs import digest

PROBE = "backbone_speeds"  # times training steps of the same networks at both scales
FILE = "ledger/measured_twice.csv"
COLUMNS = ("question", "scale", "machine", "seconds", "other", "other seconds")


def kind(note: receipts.Receipt) -> str:
    """Of a machine; no processor tells the times of a GPU."""
    return " with ".join(filter(None, (note["hardware"]["cpu"], note["hardware"]["gpu"])))


def probed(root: Path) -> dict[str, dict[str, float]]:
    """{kind of machine: {network: seconds of a training step}}, as published."""
    found: dict[str, dict[str, float]] = {}
    for folder in (root / HOMES["published"] / PROBE / scale for scale in ("laptop", "paper")):
        for note in receipts.of(folder):
            rows = list(csv.DictReader(packed.table(folder, "rows.csv").decode().splitlines()))
            steps = {
                row["backbone"]: [float(r["step"]) for r in rows if r["backbone"] == row["backbone"]]
                for row in rows
            }
            found.setdefault(kind(note), {name: median(times) for name, times in steps.items()})
    return found


def ratio(here: dict[str, float], there: dict[str, float]) -> float:
    return median([here[name] / there[name] for name in here if name in there] or [math.nan])


def pairs(root: Path) -> list[tuple[str | float, ...]]:
    def git(*command: str) -> str:
        return subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=True).stdout

    log = git("log", "--raw", "--no-abbrev", "--no-renames", "--format=", "--diff-filter=d", "--", "figures")
    found: dict[tuple[str, str, str], dict[str, dict[str, list[float]]]] = {}  # newest first
    for blob in dict.fromkeys(line.split()[3] for line in log.splitlines() if line.endswith(receipts.FILE)):
        for note in receipts.apart(git("cat-file", "blob", blob).encode()):
            key = note["question"], note["scale"], digest(json.dumps(note["config"], sort_keys=True))
            took = found.setdefault(key, {}).setdefault(kind(note), {}).setdefault(note["part"], [])
            took += [note["seconds"]] * (note["hardware"]["cores"] == 2 and note["seconds"] not in took)
    rows: list[tuple[str | float, ...]] = []
    for (question, scale, _), on in sorted(found.items()):
        for here, there in combinations_with_replacement(sorted(on), 2):
            one, two = on[here], {part: took[here == there :] for part, took in on[there].items()}
            both = [part for part in one if one[part] and two.get(part)]
            now, then = (round(sum(of[part][0] for part in both), 1) for of in (one, two))
            rows += [(question, scale, here, now, there, then)] * (min(now, then) > 0)
    return rows


def table(root: Path) -> list[tuple[str, ...]]:
    """What was foretold, how often, the median factor, how many within 1.5, and the factor of the sum; without the probe."""
    steps, times = probed(root), dict[str, list[tuple[float, float]]]()
    with open(root / FILE, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            here, there = row["machine"], row["other"]
            pace = ratio(steps.get(there, {}), steps.get(here, {}))  # not known of a machine without a probe
            of = times.setdefault("on the same kind of machine" if here == there else "on the other kind", [])
            of += [(float(row["seconds"]) * pace, float(row["other seconds"]))] * (
                row["question"] != PROBE and pace > 0
            )
    return [(what, *_summary(own)) for what, own in times.items()]


def _summary(times: list[tuple[float, float]]) -> tuple[str, str, str, str]:
    off = [math.exp(abs(math.log(said / true))) for said, true in times]
    said, true = map(sum, zip(*times, strict=True))
    within = sum(factor <= 1.5 for factor in off)
    return (
        str(len(off)),
        f"{median(off):.2f}",
        f"{within} of {len(off)}",
        f"{max(said / true, true / said):.2f}",
    )


if __name__ == "__main__":
    with open(FILE, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([COLUMNS, *pairs(Path())])
    print(*map(" | ".join, table(Path())), sep="\n")
