"""Where the network stops working, in numbers. A part that was not measured is left out."""

import pandas as pd

from curvecast.curves.outside_prior import KINDS, OWN
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.limits.limits.case_titles import COVERAGE, TITLES, named


def tables(rows: Rows) -> dict[str, pd.DataFrame]:
    rows, made = named(rows), {}
    if "strange" in rows:
        made["strange"] = _by_cutoff(rows["strange"], "cover90", COVERAGE, "epochs")
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


def _shown(values: pd.Series, form: str = ".3f") -> str:
    """Their mean; fewer digits where it is so large that they mean nothing."""
    return in_cell(Interval.of_many(values), ",.0f" if abs(values.mean()) >= 100 else form)


def _percent(values: pd.Series) -> str:
    return f"{_shown(100 * values, '.1f')} %"


def _by_cutoff(rows: pd.DataFrame, column: str, title: str, observed: str = "%") -> pd.DataFrame:
    """A line for each case; `observed`: what cutoffs count."""
    cells, shown = [], _percent if column == "cover90" else _shown
    for case in dict.fromkeys(rows["case"]):
        mine = where(rows, case=case).groupby("cutoff")[column]
        cells.append({title: case} | {f"{c} {observed}": shown(values) for c, values in mine})
    return pd.DataFrame(cells)


def _lost(rows: pd.DataFrame) -> pd.DataFrame:
    """Nats per point below the unchanged curves, curve by curve."""
    wide = rows.pivot(index=["cutoff", "curve"], columns="case", values="ll")
    lost = wide[[TITLES[OWN]]].to_numpy() - wide[[c for c in dict.fromkeys(rows["case"]) if c != TITLES[OWN]]]
    frame = lost.melt(ignore_index=False, var_name="case", value_name="lost").reset_index()
    return _by_cutoff(frame, "lost", "nats per point lost", "epochs")


def _sizes() -> pd.DataFrame:
    """How each kind of curve differs from the unchanged ones: the docstrings of the functions that make them."""
    words = {name: " ".join((kind.make.__doc__ or "").split()) for name, kind in KINDS.items() if name != OWN}
    cells = {"curves": list(words), "what is changed, and by how much": list(words.values())}
    return pd.DataFrame(cells).replace({"curves": TITLES})


def _ahead(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for distance, mine in rows.groupby("ahead"):
        cells.append({
            "epochs ahead": str(distance), "error of the median": _shown(mine["error"], ".4f"),
            "width of the 90 % interval": _shown(mine["width"]), COVERAGE: _percent(mine["cover90"]),
        })  # fmt: skip
    return pd.DataFrame(cells)


def _gap_table(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for case in dict.fromkeys(rows["case"]):
        mine = where(rows, case=case)
        cells.append({"observed": case, COVERAGE: _percent(mine["cover90"]),
                      "nats per point": _shown(mine["ll"])})  # fmt: skip
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
