"""The blog's ports in tables: printed, rebuilt, per point, cause by cause, by distance; checks and equality."""

from functools import cache

import pandas as pd

from reproduce._press.claim_text import tidy
from reproduce._press.contract import ROOT
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows
from reproduce.porting.porting import rows as said
from reproduce.porting.porting.old_scores import STEPS
from reproduce.porting.porting.ports_by_name import TABLE

LABELS = {
    "lcpfn": "LC-PFN", "large": "large, teacher forcing", "small": "small, teacher forcing",
    "small-free": "small, free-running", "small-free-euclidean": "small, free-running, Euclidean",
    "small-mended": "decoder, teacher forcing", "small-free-mended": "decoder, free-running",
    "only-detached": "decoder, free-running, no gradient",
    "one-shot": "encoder, one-shot", "encoder-decoder": "encoder and decoder, teacher forcing",
    "last-value": "last value", "mean-of-five": "mean of the last five", "prior-mean": "mean of all curves",
    "rule-1": "linear, 1 value", "rule-3": "linear, 3 values", "rule-5": "linear, 5 values", "rule-15": "linear, 15 values",
    "rule-direct": "linear, 15 values, direct", "rule-1-direct": "linear, 1 value, direct",
    "pow3": "pow3, least squares", "pow4": "pow4, least squares",
}  # fmt: skip


@cache
def _printed() -> pd.DataFrame:
    return pd.read_csv(ROOT / "reproduce" / "printed" / "printed_ports.csv").set_index("model")


def printed(model: str, column: str) -> float:
    """What the student blog prints: "mean" or "sd"."""
    return float(_printed().loc["LC-PFN" if model == "lcpfn" else model, column])


def tables(rows: Rows) -> Rows:
    made = {"printed": _as_printed()}
    each = rows.get("each")
    if each is not None:
        made |= {"again": _again(each), "honest": _honest(each, rows.get("density")), "causes": _causes(each)}
        made["distance"] = _distance(each)
        made["rules"] = _rules(each)
    if "checks" in rows:
        made["checks"] = _checks(rows["checks"])
    if "equal" in rows:
        made |= {"equal": _equal(rows["equal"]), "times": _times(rows["times"])}
    return made


def _as_printed() -> pd.DataFrame:
    cells = []
    for model in ("lcpfn", *TABLE):
        mean, per = printed(model, "mean"), "point" if model == "lcpfn" else f"{STEPS} steps"
        point = mean if model == "lcpfn" else mean / STEPS
        cells.append({"as printed": LABELS[model], "mean": f"{mean:.4f}", "standard deviation": f"{printed(model, 'sd'):.4g}",
                      "counted over": per, "per point": f"{point:.4f}"})  # fmt: skip
    return pd.DataFrame(cells)


def _again(each: pd.DataFrame) -> pd.DataFrame:
    """The blog's unit. LC-PFN, as printed, has its own: no noise, mean per point."""
    clean = said.mean(each, "lcpfn-clean", "clean")
    summed = said.mean(each, "lcpfn", "noisy", STEPS)
    cells = [{"model": "LC-PFN", "as printed": f"{printed('lcpfn', 'mean'):.4f}", "with its faults": in_cell(clean, ".4f"),
              "repaired": in_cell(summed)}]  # fmt: skip
    for model in TABLE:
        kept, mended = (
            said.mean(each, model, "off", STEPS),
            said.mean(each, f"{model}-mended", "noisy", STEPS),
        )
        cells.append({"model": LABELS[model], "as printed": f"{printed(model, 'mean'):.4f}", "with its faults": in_cell(kept),
                      "repaired": in_cell(mended)})  # fmt: skip
    for model in ("last-value", "mean-of-five", "prior-mean", "pow3", "pow4"):
        cells.append({"model": LABELS[model], "as printed": "–", "with its faults": "–",
                      "repaired": in_cell(said.mean(each, model, "noisy", STEPS))})  # fmt: skip
    return pd.DataFrame(cells)


def _honest(each: pd.DataFrame, density: pd.DataFrame | None) -> pd.DataFrame:
    """Squared error per point, times 1000; likelihood and coverage where there is a density."""
    cells = []
    names = (
        {"lcpfn": "LC-PFN"}
        | {m: f"{LABELS[m]}, with its faults" for m in TABLE}
        | {f"{m}-mended": f"{LABELS[m]}, repaired" for m in TABLE}
    )
    names |= {
        m: LABELS[m]
        for m in ("one-shot", "encoder-decoder", "last-value", "mean-of-five", "prior-mean", "pow3", "pow4")
    }
    for model, label in names.items():
        cell = {"model": label}
        for title, column in (("against noisy points", "noisy"), ("against the clean curve", "clean")):
            cell[title] = in_cell(said.mean(each, model, column, 1000))
        for title, column in (("nats per point", "ll"), ("90 % coverage", "cover90")):
            mine = (
                density[density["model"] == model][column] if density is not None else pd.Series(dtype=float)
            )
            cell[title] = Interval.with_error(mine.mean(), mine.sem()).plus_minus(".3f") if len(mine) else "–"
        cells.append(cell)
    return pd.DataFrame(cells)


def _causes(each: pd.DataFrame) -> pd.DataFrame:
    """Each cause: what the score is after it and what it added, in order; and what it adds alone."""
    cells, alone = [], {cause: (one, other) for cause, _, one, other in said.ALONE.values()}
    for cause, value, added in said.in_order(each):
        cells.append({"cause": cause, "score": f"{value:.4f}" if value < 0.01 else f"{value:.2f}",
                      "added in this order": in_cell(added, "+.2f") if added else "–", "added alone": "–"})  # fmt: skip
    table = pd.DataFrame(cells, columns=["cause", "score", "added in this order", "added alone"]).set_index(
        "cause"
    )
    for cause in table.index:
        pair = alone.pop(cause, None)
        if pair:
            table.loc[cause, "added alone"] = in_cell(said.difference(each, *pair, STEPS), "+.2f")
    for cause, pair in alone.items():  # those that have no step of their own
        table.loc[cause] = ["–", "–", in_cell(said.difference(each, *pair, STEPS), "+.2f")]
    return table.reset_index()


def _distance(each: pd.DataFrame) -> pd.DataFrame:
    models = (
        "lcpfn",
        "one-shot",
        "encoder-decoder",
        "small-mended",
        "only-detached",
        "small-free-mended",
        "last-value",
    )
    return pd.DataFrame([
        {"squared error, × 1,000": LABELS[model]}
        | {title: in_cell(said.mean(each, model, column, 1000))
           for title, column in (("first ten epochs", "near"), ("all", "clean"), ("last ten epochs", "far"))}
        for model in models
    ])  # fmt: skip


def _rules(each: pd.DataFrame) -> pd.DataFrame:
    """No training: least squares. In the blog's unit, and far from the last observed point."""
    return pd.DataFrame([
        {"rule": LABELS[model], "blog’s unit": in_cell(said.mean(each, model, "noisy", STEPS)),
         "last ten epochs, × 1,000": in_cell(said.mean(each, model, "far", 1000))}
        for model in (*said.RULES, "last-value", "lcpfn")
    ])  # fmt: skip


PROGRAMS = {"ours": "our network", "mended port": "repaired port", "old port": "blog’s port"}
CHECKS = {  # those whose names in the rows need other words on a page
    "loss at the start above that of knowing nothing (nats; as a share)":
        "initial loss minus that of an uninformed forecast (our network: nats; ports: as a share of the variance)",
    "one batch learnt by heart: share left unexplained": "one batch overfitted: share of variance unexplained",
    "score of the true curve itself, times 1000": "error of a perfect forecast, times 1000",
}  # fmt: skip


def _checks(checks: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for check in dict.fromkeys(checks["check"]):
        mine = checks[checks["check"] == check].set_index("program")
        cell = {"check": tidy(CHECKS.get(check, check)), "should be": mine["wanted"].iloc[0]}
        for program, title in PROGRAMS.items():
            value, passes = mine.loc[program, "value"], mine.loc[program, "passes"]
            cell[title] = f"{value:.2g} {'✓' if passes else '✗'}"
        cells.append(cell)
    return pd.DataFrame(cells)


def _equal(equal: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for (network, norm), mine in equal.groupby(["network", "norm"], sort=False):
        where = "after the layers" if norm == "post" else "before the layers"
        differences = {
            f"{c} observed": f"{d:.1e}" for c, d in zip(mine["cutoff"], mine["difference"], strict=True)
        }
        cells.append({"network": f"{network}, norm {where}", "parameters": f"{mine['parameters'].iloc[0]:,.0f}",
                      "largest logit": f"{mine['largest'].max():.1f}"} | differences)  # fmt: skip
    return pd.DataFrame(cells)


TIMED = {"ours": "fast network", "stock layers": "port"}


def _times(times: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for what in dict.fromkeys(times["what"]):
        mine = times[times["what"] == what].groupby("program", sort=False)["value"]
        for program, seconds in mine:
            v = 1000 * seconds
            cells.append({"what": f"{what}, {TIMED.get(program, program)}", "milliseconds, median": f"{v.median():.1f}",
                          "range": f"{v.min():.1f} to {v.max():.1f}", "rounds": str(len(v))})  # fmt: skip
    return pd.DataFrame(cells)
