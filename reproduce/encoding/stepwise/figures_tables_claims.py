"""Step by step with an encoding: figures, tables, claims. Cells that were not trained are left out."""

import pandas as pd
from matplotlib.figure import Figure

from reproduce._press.claim import Above, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.style import line
from reproduce._press.where import Rows
from reproduce.encoding import _cell_differences
from reproduce.encoding._cell_differences import cells, scores
from reproduce.encoding._cell_names import CELLS
from reproduce.encoding._figures_and_tables import FED, effects, horizon

Which = tuple[str, str, bool]  # network, name of an encoding, is the epoch given?

RAW: Which = ("free", "none", True)
SHOT: Which = ("pfn", "none", True)
ERRORS = {  # column: title
    "near": "1 to 10 ahead", "far": "71 to 80 ahead", "longer": "epochs 151 to 200", "irregular": "gaps at random",
    "geometric": "growing gaps",
}  # fmt: skip


def gap(rows: Rows, ours: Which, theirs: Which, column: str) -> Interval | None:
    return _cell_differences.gap(rows, ours[1:], theirs[1:], [column], networks=(ours[0], theirs[0]))


def figures(rows: Rows) -> dict[str, Figure]:
    """The next value, given true ones; and the error by distance, beside that of LC-PFN, in one shot."""
    names = list(dict.fromkeys(name for network, name, _ in cells(rows) if network == "free"))
    label = (
        "difference in log-likelihood of the next value\nfrom the epoch as a number (nats, higher is better)"
    )
    beside = {SHOT: {"marker": "x"} | line("one shot", label="in one shot, epoch given")}
    return {
        "effects": effects(names, lambda name, fed: gap(rows, ("free", name, fed), RAW, "next"), label),
        "horizon": horizon(rows["horizon"], "free", beside, ncols=3),
    }


def tables(rows: Rows) -> Rows:
    return {"likelihood": _likelihood(rows), "errors": _errors(rows)}


def title(which: Which) -> str:
    network, name, fed = which
    return "in one shot, epoch given" if network == "pfn" else f"{CELLS[name].title}, {FED[fed]}"


def _mean(rows: Rows, which: Which, column: str) -> float:
    network, name, fed = which
    return float(scores(rows, (name, fed), [column], network).mean().mean())


def _likelihood(rows: Rows) -> pd.DataFrame:
    """The next value given true ones, and all later values given its own."""
    lines = []
    for which in cells(rows):
        next_value, path = _mean(rows, which, "next"), _mean(rows, which, "path")
        lines.append({"forecaster": title(which), "next value": "–" if next_value != next_value else f"{next_value:.3f}",
                      "all later values": f"{path:.3f}"})  # fmt: skip
    return pd.DataFrame(lines)


def _errors(rows: Rows) -> pd.DataFrame:
    lines = []
    for which in cells(rows):
        means = {heading: 100 * _mean(rows, which, column) for column, heading in ERRORS.items()}
        shown = {heading: "–" if mean != mean else f"{mean:.2f}" for heading, mean in means.items()}
        lines.append({"forecaster": title(which)} | shown)
    return pd.DataFrame(lines)


def claims(rows: Rows) -> list[Claim]:
    """Gaps in nats are paired by curve and by seed; those of errors are in units of the curve."""
    unfed = ("free", "none", False)

    def asks(name: str, question: str, found: Interval | None, needs: Needs, unit: str = "nats") -> Claim:
        return Claim(name, question, found, needs, unit)

    stated = [
        asks("mask_tells_the_order",
             "Without epochs and encoding, does a causal mask keep the loss on the next value small?",
             gap(rows, RAW, unfed, "next"), Below(0.1)),
        asks("own_path_costs",
             "On all later values, does a step-by-step network that is given the epochs score lower than a one-shot network?",
             gap(rows, SHOT, RAW, "path"), Above(0), "nats per point"),
        asks("own_path_costs_unfed",
             "On all later values, does a step-by-step network without epochs score lower than a one-shot network with them?",
             gap(rows, SHOT, unfed, "path"), Above(0), "nats per point"),
        asks("near_as_good", "Over the next ten epochs, is a median step by step about as accurate as a median in one shot?",
             gap(rows, RAW, SHOT, "near"), Below(0.002), ""),
        asks("far_worse", "Seventy epochs ahead, is a median step by step less accurate than a median in one shot?",
             gap(rows, RAW, SHOT, "far"), Above(0), ""),
    ]  # fmt: skip
    for name in ("sincos", "rope"):
        title = CELLS[name].title
        stated += [
            asks(f"{name}_adds", f"Does {title}, added to the epochs, leave the score of the next value as it is?",
                 gap(rows, ("free", name, True), RAW, "next"), Between(-0.05, 0.05)),
            asks(f"{name}_replaces", f"Does {title}, in place of the epochs, leave the score of the next value as it is?",
                 gap(rows, ("free", name, False), RAW, "next"), Between(-0.05, 0.05)),
        ]  # fmt: skip
    return stated
