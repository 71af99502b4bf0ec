"""The network that ships: figures, tables, claims."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.forecasted import RARE
from reproduce import _strange, _style
from reproduce._contract import Claim
from reproduce._paired import Interval, claim, interval

Rows = dict[str, pd.DataFrame]
TITLES = {"shipped": "the network that ships", "whole": "trained on whole runs alone"}
HOLES = (
    "every second",
    "every fifth",
    "every tenth",
    "a random half",
    "without the first five",
    "the last alone",
)
SEEN = 20  # epochs, of which runs with holes show some

STATED = {  # name: sentence, condition
    "loses_little": (
        "After ten epochs the network that ships loses {value:.3f} nats a point to the exact posterior.",
        "<= 0.15",
    ),
    "whole_runs": (
        "After twenty whole epochs it is {value:+.3f} nats from a network that was trained on whole runs alone.",
        "> -0.02",
    ),
    "headless": (
        "Where the first five of twenty epochs are missing it is {value:+.3f} nats from that one.",
        "> -0.02",
    ),
    "fifth": ("Where every fifth of twenty epochs was logged it is {value:+.2f} nats from that one.", "> 0"),
    "half": ("Where a random half of them was logged it is {value:+.2f} nats from it.", "> 0"),
    "honest": (
        "Its 90 % band holds {value:.1%} of the later points after ten epochs.",
        "between 0.87 and 0.93",
    ),
    "false_alarms": ("It warns of {value:.1%} of the prior’s own curves after twenty epochs.", "<= 0.03"),
    "false_alarms_late": ("After ninety epochs it warns of {value:.1%} of them.", "<= 0.03"),
    "diverged": ("It warns of {value:.0%} of the runs that fell to guessing five epochs ago.", ">= 0.8"),
    "not_turned": (
        "It warns of {value:.0%} of the losses that were handed over as if more were better.",
        ">= 0.8",
    ),
    "overfits": ("It warns of {value:.0%} of the runs that overfit slowly, at their end.", ">= 0.8"),
    "futures": (
        "Of the ends of sampled futures {value:.1%} lie in the 90 % band of the direct forecast.",
        "between 0.85 and 0.95",
    ),
}


def figures(rows: Rows) -> dict[str, Figure]:
    made = {}
    if "rows" in rows and not _case_gains(rows["rows"]).empty:
        made["holes"] = _draw_holes(_case_gains(rows["rows"]))
    if "odd" in rows:
        made["odd"] = _draw_odd(_flagged(rows["odd"]))
    return made


def _draw_holes(gains: pd.DataFrame) -> Figure:
    figure, ax = plt.subplots(figsize=(7, 0.42 * len(gains) + 0.9), layout="constrained")
    for place, row in enumerate(gains.itertuples()):
        ax.plot([row.low, row.high], [place, place], color=_style.colour("ours"), linewidth=2)
        ax.plot(row.value, place, "o", color=_style.colour("ours"))
    ax.axvline(0, color=_style.faint(), linestyle=":")
    ax.set_yticks(range(len(gains)), gains["case"])
    ax.invert_yaxis()
    ax.set_xscale("symlog", linthresh=0.1)  # a hundredth of a nat and eight
    ticks = [-0.1, -0.05, 0, 0.05, 0.1, 1, 10]
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel("log-likelihood beyond the network of whole runs, nats per point")
    return figure


def _draw_odd(shares: pd.DataFrame) -> Figure:
    kinds = list(dict.fromkeys(shares["kind"]))
    cutoffs = sorted(shares["cutoff"].unique())
    figure, ax = plt.subplots(figsize=(7, 0.34 * len(kinds) + 1.1), layout="constrained")
    for i, cutoff in enumerate(cutoffs):
        own = shares[shares["cutoff"] == cutoff].set_index("kind").loc[kinds]
        places = np.arange(len(kinds)) + 0.18 * (i - (len(cutoffs) - 1) / 2)
        strength = 0.35 + 0.65 * (i + 1) / len(cutoffs)
        ax.hlines(places, 0, own["value"], color=_style.colour("ours"), alpha=strength, linewidth=2.5)
        ax.plot(
            own["value"],
            places,
            "o",
            markersize=3.5,
            color=_style.colour("ours"),
            alpha=strength,
            label=f"{cutoff} epochs seen",
        )
    ax.axvline(RARE, color=_style.faint(), linestyle=":")
    ax.set_yticks(range(len(kinds)), kinds)
    ax.invert_yaxis()
    ax.set_xlim(-0.01, 1.02)
    ax.set_xlabel("share of the curves that are warned of")
    ax.legend(frameon=False, loc="lower right")
    return figure


def tables(rows: Rows) -> Rows:
    made = {}
    if "rows" in rows:
        made["likelihood"] = _likelihood(rows["rows"])
        made["holes"] = _hole_table(rows["rows"])
    if "odd" in rows:
        shares = _flagged(rows["odd"])
        shares["share"] = [f"{100 * value:.1f} %" for value in shares["value"]]
        wide = shares.pivot(index="kind", columns="cutoff", values="share").loc[
            list(dict.fromkeys(shares["kind"]))
        ]
        made["odd"] = (
            wide.rename(columns=lambda c: f"{c} seen").reset_index().rename(columns={"kind": "curves"})
        )
    return made


def _likelihood(rows: pd.DataFrame) -> pd.DataFrame:
    """By the number of epochs seen; and what is lost to the exact posterior where that was asked."""
    whole, cells = rows[rows["case"] == "whole"], []
    for cutoff in sorted(whole["cutoff"].unique()):
        row = {"seen": f"{cutoff}"}
        for method in ("shipped", "whole"):
            row[TITLES[method]] = _shown(interval(_own(whole, method, cutoff)["ll"]), 3)
        row["lost to the exact posterior"] = _shown(_gap(whole, "judge", "shipped", cutoff), 3)
        held = (
            _own(whole, "shipped", cutoff)["cover90"].dropna()
            if "cover90" in whole
            else pd.Series(dtype=float)
        )
        row["inside the 90 % band"] = _shown(interval(100 * held), 1, " %")
        cells.append(row)
    return pd.DataFrame(cells)


def _hole_table(rows: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for case in [f"all {SEEN}", *HOLES]:
        own = rows[rows["case"] == case]
        row = {"seen": f"{case} of {SEEN}" if case in HOLES else case}
        for method in ("shipped", "whole"):
            mine = _own(own, method, SEEN)
            row[TITLES[method]] = _shown(interval(mine["ll"]), 3)
            row[f"in 90 %, {method}"] = _shown(interval(100 * mine["cover90"]), 1, " %") if len(mine) else "–"
        cells.append(row)
    return pd.DataFrame(cells).rename(
        columns={"in 90 %, shipped": "inside its 90 % band", "in 90 %, whole": "inside that one’s"}
    )


def _shown(found: Interval | None, digits: int, unit: str = "") -> str:
    return "–" if found is None else f"{found.value:.{digits}f} ± {found.high - found.value:.{digits}f}{unit}"


def _own(rows: pd.DataFrame, method: str, cutoff: int) -> pd.DataFrame:
    return rows[(rows["method"] == method) & (rows["cutoff"] == cutoff)]


def _gap(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> Interval | None:
    """Paired by curve."""
    mine = rows[rows["cutoff"] == cutoff].pivot_table(index="curve", columns="method", values="ll")
    return interval((mine[ours] - mine[theirs]).dropna()) if {ours, theirs} <= set(mine) else None


def _case_gains(rows: pd.DataFrame) -> pd.DataFrame:
    found = []
    for case in [f"all {SEEN}", *HOLES]:
        gap = _gap(rows[rows["case"] == case], "shipped", "whole", SEEN)
        if gap is not None:
            found.append({"case": case} | gap._asdict())
    return pd.DataFrame(found)


def _flagged(odd: pd.DataFrame) -> pd.DataFrame:
    """The share of the curves of a kind below the line of the warning."""
    flags = odd.assign(flag=(odd["in_prior"] < RARE).astype(float))
    return flags.groupby(["kind", "cutoff"], sort=False)["flag"].agg(value="mean", n="size").reset_index()


def claims(rows: Rows) -> list[Claim]:
    each = rows.get("rows", pd.DataFrame(columns=["method", "case", "cutoff", "curve", "ll", "cover90"]))
    whole = each[each["case"] == "whole"]
    held = interval(_own(whole, "shipped", 10)["cover90"].dropna())
    found = {
        "loses_little": _gap(whole, "judge", "shipped", 10), "whole_runs": _gap(whole, "shipped", "whole", 20),
        "headless": _hole(each, "without the first five"),
        "fifth": _hole(each, "every fifth"), "half": _hole(each, "a random half"),
        "honest": held, "false_alarms": _alarm(rows, _strange.OWN, 20),
        "false_alarms_late": _alarm(rows, _strange.OWN, 90),
        "diverged": _alarm(rows, "diverges", 60), "not_turned": _alarm(rows, "loss, not turned", 20),
        "overfits": _alarm(rows, "overfits", 90), "futures": _inside(rows),
    }  # fmt: skip
    return [claim(name, sentence, found[name], condition) for name, (sentence, condition) in STATED.items()]


def _hole(each: pd.DataFrame, case: str) -> Interval | None:
    return _gap(each[each["case"] == case], "shipped", "whole", SEEN)


def _alarm(rows: Rows, kind: str, cutoff: int) -> Interval | None:
    """The share of these curves that a warning is given of."""
    if "odd" not in rows:
        return None
    own = rows["odd"][(rows["odd"]["kind"] == kind) & (rows["odd"]["cutoff"] == cutoff)]
    return _share_of((own["in_prior"] < RARE).astype(float))


def _share_of(flags: pd.Series) -> Interval | None:
    """Wilson's interval, which a share of 0 or 1 has as well."""
    n = len(flags)
    if n < 2:
        return None
    p, z = float(flags.mean()), 1.96
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(p, max(0.0, middle - half), min(1.0, middle + half))


def _inside(rows: Rows) -> Interval | None:
    if "futures" not in rows:
        return None
    places = rows["futures"]
    held = ((places["place"] > 0.05) & (places["place"] < 0.95)).astype(float)
    return interval(held.groupby(places["curve"]).mean())
