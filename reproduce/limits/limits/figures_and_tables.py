"""Where the network stops working, as figures and tables. A part that was not measured is left out."""

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves.outside_prior import KINDS, OWN
from curvecast.scores import metrics
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, faint, ink
from reproduce._press.where import Rows, where
from reproduce.pictures.bands import bands
from reproduce.pictures.dots import dots
from reproduce.pictures.panels import legend, panels

TITLES = {  # of a case, where a page would not understand its name in the rows
    OWN: "unchanged", "loss, not turned": "loss, falling", "in percent": "percentages", "spikes": "outliers",
    "all 20": "epochs 1 to 20", "first 10": "epochs 1 to 10", "without the first five": "epochs 6 to 20",
    "every second": "every second epoch", "every fifth": "every fifth epoch", "every tenth": "every tenth epoch (10 and 20)",
    "a random half": "a random half of the epochs", "the last alone": "epoch 20 alone",
    "asked: between every second": "every second, forecast between them",
    "asked: the first five": "epochs 6 to 20, forecast of 1 to 5", "every epoch, asked beyond 100": "every epoch, beyond 100",
}  # fmt: skip
COVERAGE = "coverage of the 90 % interval"


def _named(rows: Rows) -> Rows:
    return {table: frame.replace({"case": TITLES}) for table, frame in rows.items()}


def figures(rows: Rows) -> dict[str, Figure]:
    rows, made = _named(rows), {}
    if "strange" in rows:
        made["strange"] = _strange(rows["strange"], rows["example"])
    if "gaps" in rows:
        made["gaps"] = _gaps(rows["gaps"])
    if "best" in rows:
        made["best"] = _best(rows["best"])
    return made


def _strange(rows: pd.DataFrame, examples: pd.DataFrame) -> Figure:
    shares = where(rows, cutoff=20).groupby("case")["cover90"].mean()
    cases = list(dict.fromkeys(examples["case"]))
    titles = [f"{case}: coverage {100 * shares[case]:.0f} %" for case in cases]
    figure, axes = panels(titles, (9, 9), 3, sharex=True)
    for axis, case in zip(axes, cases, strict=True):
        _panel(axis, where(examples, case=case))
    for axis in axes[-3:]:
        axis.set_xlabel("epoch")
    figure.supylabel("value of the curve", fontsize=10)
    legend(figure, axes, 4)
    return figure


def _panel(axis: Axes, curve: pd.DataFrame) -> None:
    """Points and interval; the axis is cut where the interval has far outliers, never where points lie."""
    seen, later = curve[curve["q50"].isna()], curve[curve["q50"].notna()]
    bands(axis, later["epoch"], later, colour("ours"), {("q05", "q95"): 0.25}, "90 % interval")
    axis.plot(later["epoch"], later["q50"], color=colour("ours"), label="median")
    axis.plot(later["epoch"], later["y"], ".", color=ink(), markersize=2.5, label="future points")
    axis.plot(seen["epoch"], seen["y"], ".", color=colour("paper"), markersize=4, label="observed points")
    axis.axvline(20.5, color=faint(), linewidth=1)
    axis.set_xlim(0, 101)


def _gaps(rows: pd.DataFrame) -> Figure:
    cases = list(dict.fromkeys(rows["case"]))[::-1]
    found = [(case, Interval.with_error(*_mean(where(rows, case=case)["cover90"]))) for case in cases]
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    axis.axvline(0.9, color=ink(), linewidth=1, linestyle=":")
    axis.annotate("90 %", (0.9, 1), xycoords=("data", "axes fraction"), xytext=(0, 4),
                  textcoords="offset points", ha="center")  # fmt: skip
    dots(axis, found, fmt="o", color=colour("ours"), markersize=5)
    axis.set(xlabel=COVERAGE, xlim=(0, 1))
    axis.grid(axis="y", visible=False)
    return figure


def _best(rows: pd.DataFrame) -> Figure:
    cutoffs = sorted(rows["cutoff"].unique())
    figure, axes = panels([f"{cutoff} epochs observed" for cutoff in cutoffs], (9, 3.4), sharey=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        by_margin = where(rows, cutoff=cutoff).groupby("margin")
        said = by_margin[["independent", "largest"]].mean()
        ours = colour("ours")
        axis.plot(said.index, said["independent"], color=ours, label="forecast, epochs independent")
        axis.plot(
            said.index, said["largest"], color=ours, linestyle="--", label="forecast, likeliest epoch alone"
        )
        found = {margin: _mean(mine["happened"]) for margin, mine in by_margin}
        axis.errorbar(list(found), [e.value for e in found.values()], yerr=[1.96 * e.se for e in found.values()],
                      fmt="o", color=ink(), markersize=4, label="share of curves on which it happened")  # fmt: skip
        axis.set(xlabel="margin over the best so far", ylim=(0, 1.02))
    axes[0].set_ylabel("chance of a better later value")
    legend(figure, axes, 3)
    return figure


def tables(rows: Rows) -> dict[str, pd.DataFrame]:
    rows, made = _named(rows), {}
    if "strange" in rows:
        made["strange"] = _by_cutoff(rows["strange"], "cover90", COVERAGE)
        made["strange_lost"] = _lost(rows["strange"])
        made["strange_sizes"] = _sizes()
    if "ahead" in rows:
        made["ahead"] = _ahead(rows["ahead"])
    if "long" in rows:
        made["long"] = _by_cutoff(rows["long"], "cover90", COVERAGE)
        made["long_likelihood"] = _by_cutoff(rows["long"], "ll", "nats per point")
    if "gaps" in rows:
        made["gaps"] = _gap_table(rows["gaps"])
    if "best" in rows:
        made["best"] = _best_table(rows["best"])
    if "measures" in rows:
        made["measures"] = _measures(rows["measures"])
    if "machine" in rows:
        made["machine"] = _machine(rows["machine"])
    return made


def _mean(values: pd.Series) -> metrics.Estimate:
    return metrics.estimate(torch.tensor(values.to_numpy(dtype=float)))


def _shown(found: metrics.Estimate, form: str = ".3f") -> str:
    """Fewer digits where a number is so large that they mean nothing."""
    form = ",.0f" if abs(found.value) >= 100 else form
    return Interval.with_error(*found).plus_minus(form)


def _by_cutoff(rows: pd.DataFrame, column: str, title: str) -> pd.DataFrame:
    cells = []
    for case in dict.fromkeys(rows["case"]):
        mine = where(rows, case=case).groupby("cutoff")[column]
        cells.append({title: case} | {f"{c} %": _shown(_mean(values)) for c, values in mine})
    return pd.DataFrame(cells)


def _lost(rows: pd.DataFrame) -> pd.DataFrame:
    """Nats per point below the unchanged curves, curve by curve."""
    wide = rows.pivot(index=["cutoff", "curve"], columns="case", values="ll")
    lost = wide[[TITLES[OWN]]].to_numpy() - wide[[c for c in dict.fromkeys(rows["case"]) if c != TITLES[OWN]]]
    frame = lost.melt(ignore_index=False, var_name="case", value_name="lost").reset_index()
    return _by_cutoff(frame, "lost", "nats per point lost")


def _sizes() -> pd.DataFrame:
    """How each kind of curve differs from the unchanged ones: the docstrings of the functions that make them."""
    words = {name: " ".join((kind.make.__doc__ or "").split()) for name, kind in KINDS.items() if name != OWN}
    cells = {"curves": list(words), "what is changed, and by how much": list(words.values())}
    return pd.DataFrame(cells).replace({"curves": TITLES})


def _ahead(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for distance, mine in rows.groupby("ahead"):
        cells.append({
            "epochs ahead": str(distance), "error of the median": _shown(_mean(mine["error"]), ".4f"),
            "width of the 90 % interval": _shown(_mean(mine["width"])), COVERAGE: _shown(_mean(mine["cover90"])),
        })  # fmt: skip
    return pd.DataFrame(cells)


def _gap_table(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for case in dict.fromkeys(rows["case"]):
        mine = where(rows, case=case)
        cells.append({"observed": case, COVERAGE: _shown(_mean(mine["cover90"])),
                      "nats per point": _shown(_mean(mine["ll"]))})  # fmt: skip
    return pd.DataFrame(cells)


def _best_table(rows: pd.DataFrame) -> pd.DataFrame:
    columns = {"independent": "independent epochs", "largest": "likeliest epoch alone", "happened": "happened",
               "last": "epoch 100, forecast", "last_happened": "epoch 100, happened"}  # fmt: skip
    cells = []
    for (cutoff, margin), mine in rows.groupby(["cutoff", "margin"]):
        numbers = {title: f"{mine[name].mean():.3f}" for name, title in columns.items()}
        cells.append({"observed, margin": f"{cutoff} epochs, {margin:g}"} | numbers)
    return pd.DataFrame(cells)


def _measures(rows: pd.DataFrame) -> pd.DataFrame:
    names = {"ll": "likelihood", "crps": "CRPS", "mse_noisy": "squared error"}
    cells = []
    for (rival, cutoff), mine in rows.groupby(["rival", "cutoff"], sort=False):
        better = mine[list(names)] > 0
        shares = {
            f"by {title}": f"{better[name].mean():.0%}".replace("%", " %") for name, title in names.items()
        }
        divided = better.nunique(axis=1).gt(1).mean()
        cells.append({"network better than": f"{rival}, {cutoff} epochs"} | shares
                     | {"measures disagree": f"{divided:.0%}".replace("%", " %")})  # fmt: skip
    return pd.DataFrame(cells)


def _machine(rows: pd.DataFrame) -> pd.DataFrame:
    titles = {
        "ll": "log-density",
        "weights": "weights after training",
        "ll_after": "log-density after training",
    }
    numbers = {title: [f"{v:.7f}" if v else "0" for v in rows[name]] for name, title in titles.items()}
    return pd.DataFrame({"setting": rows["setting"], "instructions": rows["uses"]} | numbers)
