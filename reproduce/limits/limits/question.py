"""Where does the network stop working?

Intervals are over curves, paired where two forecasts of the same curves are compared.
"""

from dataclasses import dataclass, replace
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.outside_prior import KINDS, OWN
from curvecast.scores import baselines, curve_by_curve, metrics
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press.claim import AtLeast, AtMost, Between, Claim
from reproduce._press.estimates import By, Estimates, by_mean, leads
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, ink
from reproduce._press.where import Rows, where
from reproduce.limits.limits import best_remaining, other_instructions, strange_curves
from reproduce.pictures.dots import dots
from reproduce.trainings import SMALL, TINY

TITLES = {  # of a case, where a page would not understand its name in the rows
    **strange_curves.TITLES,
    "all 20": "epochs 1 to 20", "first 10": "epochs 1 to 10", "without the first five": "epochs 6 to 20",
    "every second": "every second epoch", "every fifth": "every fifth epoch", "every tenth": "every tenth epoch (10 and 20)",
    "a random half": "a random half of the epochs", "the last alone": "epoch 20 alone",
    "asked: between every second": "every second, forecast between them",
    "asked: the first five": "epochs 6 to 20, forecast of 1 to 5", "every epoch, asked beyond 100": "every epoch, beyond 100",
}  # fmt: skip
COVERAGE, NATS = "coverage of the 90 % interval", "nats per point"
MEASURES = {"ll": "likelihood", "crps": "CRPS", "mse_noisy": "squared error"}
RIVALS = ("pow4", "last value")
BY_CUTOFF = ["case", "cutoff"]
Cells = dict[Any, str]

COVERS, RIGHT, NOT_WIDE, NARROW = AtLeast(0.8), Between(0.85, 0.95), AtMost(0.93), AtLeast(0.87)
NETWORK = "our 3 × 128 network"
OURS = f"the 90 % interval of {NETWORK}"
ASKS = {COVERS: "still cover the points", RIGHT: "keep its coverage", NOT_WIDE: "avoid over-coverage"}
STRANGE = (  # name, kind of curve, observed epochs, how the question begins, what yes needs
    ("rate_drop", "learning rate drops", 20, "If the learning rate drops after epoch 50, does", COVERS),
    ("overfitting", "overfits", 40, "If a curve has been falling since epoch 30, does", COVERS),
    ("divergence", "diverges", 20, "If a run diverges after epoch 55, does", COVERS),
    ("loss_not_turned", "loss, not turned", 10, "If the values are a loss, which falls, does", COVERS),
    ("percent", "in percent", 20, "If the values are percentages, does", COVERS),
    ("heavy_tails", "heavy-tailed noise", 20, "If the noise is heavy-tailed, does", RIGHT),
    ("shrinking_noise", "shrinking noise", 40, "If the noise shrinks to a third, does", NOT_WIDE),
)
GAPS = (  # name, what was observed, the question, what yes needs
    ("every_second", "every second", f"Given every second of 20 epochs, does {OURS} keep its coverage?", NARROW),
    ("every_tenth", "every tenth", f"Given epochs 10 and 20 alone, does {OURS} still cover later points?", COVERS),
    ("renumbered", "every tenth, renumbered",
     f"Given epochs 10 and 20, renumbered as 1 and 2, does {OURS} keep its coverage?", RIGHT),
    ("first_five_missing", "without the first five", f"Given epochs 6 to 20 alone, does {OURS} keep its coverage?", RIGHT),
    ("asked_for_the_past", "asked: the first five", f"Given epochs 6 to 20, does {OURS} cover epochs 1 to 5?", COVERS),
)  # fmt: skip


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]
    tried: TrainConfig = replace(TINY["1x16"], curves=1280)  # trained anew with each set of instructions
    curves: int = 250  # of THE test set, the first ones
    several: int = 500  # of them for gaps and long curves, which are asked less
    ahead: int = 1000  # of them for the distances, where each curve gives one point
    cutoffs: tuple[int, ...] = (10, 20, 40)
    best_cutoffs: tuple[int, ...] = (10, 40)
    distances: tuple[int, ...] = (1, 5, 10, 30, 60, 90)
    margins: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1)
    seed: int = 0


SCALES = {
    "smoke": Config(TINY["1x16"], replace(TINY["1x16"], curves=64), curves=12, several=12, ahead=12),
    "laptop": Config(),
    "paper": Config(curves=1000, several=2000, ahead=10_000),
}
TABLES = {
    "strange": ("case", "cutoff", "curve", "ll", "cover90"),
    "example": ("case", "epoch", "y", "q05", "q50", "q95"),
    "ahead": ("ahead", "curve", "cover90", "error", "width"),
    "long": ("case", "cutoff", "curve", "ll", "cover90"),  # here a cutoff is a share of the curve, in percent
    "gaps": ("case", "curve", "ll", "cover90"),
    "best": ("cutoff", "curve", "margin", "happened", "independent", "largest", "last", "last_happened"),
    "place": ("cutoff", "curve", "independent"),
    "measures": ("rival", "cutoff", "curve", *MEASURES),
    "machine": ("setting", "uses", *other_instructions.COMPARED),
}
TOLERANCES = {f"machine.{column}": ("chaotic", "rounding errors") for column in other_instructions.COMPARED}
TOLERANCES["machine.uses"] = ("chaotic", "the widest instructions that the processor has")


def models(config: Config) -> list[TrainConfig]:
    return [config.train]


def parts(config: Config) -> list[str]:
    return ["strange", "ahead", "long", "gaps", "best", "measures", "machine"]


def measure(config: Config, part: str) -> Rows:
    if part == "machine":
        return {"machine": other_instructions.compare(config.train, config.tried, config.curves)}
    forecaster, curves = trained(config.train), prior.test_set(config.curves)
    generator = torch.Generator().manual_seed(config.seed)
    match part:
        case "strange":
            return strange_curves.forecasts(forecaster, curves, config.cutoffs, generator)
        case "ahead":
            many, first = prior.test_set(config.ahead), config.cutoffs[0]
            return {"ahead": curve_by_curve.ahead(forecaster, many, first, config.distances)}
        case "long":
            return {"long": curve_by_curve.long(forecaster, config.several, config.cutoffs, generator)}
        case "gaps":
            several = prior.test_set(config.several).noisy
            return {"gaps": curve_by_curve.gaps(forecaster, several, 20, generator)}
        case "best":
            tables = [
                best_remaining.chances(forecaster, curves.noisy, c, config.margins)
                for c in config.best_cutoffs
            ]
            return {name: pd.concat([one[name] for one in tables]) for name in ("best", "place")}
    gains = [gains_over_simple(forecaster, curves, cutoff) for cutoff in config.cutoffs]
    return {"measures": pd.concat(gains)}


def gains_over_simple(forecaster: Forecaster, curves: prior.Curves, cutoff: int) -> pd.DataFrame:
    """By how much the network forecasts a curve better than simple methods, by three measures."""
    x, later = torch.arange(1, 101.0), torch.arange(cutoff + 4, 101.0, 8.0)
    seen, y = curves.noisy[:, :cutoff], curves.noisy[:, later.long() - 1]
    density = forecaster.predict(x[:cutoff].expand(len(y), -1), seen, later.expand(len(y), -1))
    ours, frames = metrics.scores(density, y), []
    for rival in RIVALS:
        theirs = metrics.scores(baselines.forecast(rival, x[:cutoff], seen, later), y)
        errors = {name: (theirs[name] - ours[name]).numpy() for name in ("crps", "mse_noisy")}
        gains = {"ll": (ours["ll"] - theirs["ll"]).numpy()} | errors
        frames.append(pd.DataFrame({"rival": rival, "cutoff": cutoff, "curve": range(len(y))} | gains))
    return pd.concat(frames)


# ------------------------------------------------------------------------------------------------- estimates


def means(rows: pd.DataFrame, by: By, value: str = "cover90") -> Estimates:
    return by_mean(rows, by, value, Interval.of_many)


def lost(rows: pd.DataFrame) -> Estimates:
    """By kind of curve and cutoff: what its later points score below those of the same curves unchanged."""
    found: Estimates = {}
    for cutoff, own in rows.groupby("cutoff"):
        above = leads(own, "case", OWN, "ll", "curve", Interval.of_many)
        found |= {(case, cutoff): above[case].negated() for case in KINDS if case in above}
    return found


def ratio(a: pd.Series, b: pd.Series) -> Interval | None:
    """Of two means on the same curves; its standard error to first order."""
    if a.empty:
        return None
    value = a.mean() / b.mean()
    return Interval.with_error(float(value), float((a - value * b).std() / len(a) ** 0.5 / b.mean()))


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    drawn = {"strange": strange_curves.draw, "gaps": draw_gaps, "best": best_remaining.draw}
    return {name: made(rows) for name, made in drawn.items() if len(rows[name])}


def draw_gaps(rows: Rows) -> Figure:
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    axis.axvline(0.9, color=ink(), linewidth=1, linestyle=":")
    axis.annotate("90 %", (0.9, 1), xycoords=("data", "axes fraction"), xytext=(0, 4),
                  textcoords="offset points", ha="center")  # fmt: skip
    found = [(TITLES.get(case, str(case)), one) for case, one in means(rows["gaps"], "case").items()]
    dots(axis, found[::-1], fmt="o", color=colour("ours"), markersize=5)
    axis.set(xlabel=COVERAGE, xlim=(0, 1))
    axis.grid(axis="y", visible=False)
    return figure


def tabulate(rows: Rows) -> Rows:
    strange, ahead, long, gaps = (rows[name] for name in ("strange", "ahead", "long", "gaps"))
    made = {
        "strange": by_cutoff(percent(strange, BY_CUTOFF), COVERAGE, "epochs"),
        "strange_lost": by_cutoff(texts(lost(strange)), f"{NATS} lost", "epochs"),
        "strange_sizes": side_by_side("curves", {"what is changed, and by how much": strange_curves.changes()}),
        "ahead": side_by_side("epochs ahead", {
            "error of the median": texts(means(ahead, "ahead", "error"), ".4f"),
            "width of the 90 % interval": texts(means(ahead, "ahead", "width")),
            COVERAGE: percent(ahead, "ahead"),
        }),
        "long": by_cutoff(percent(long, BY_CUTOFF), COVERAGE, "%"),
        "long_likelihood": by_cutoff(texts(means(long, BY_CUTOFF, "ll")), NATS, "%"),
        "gaps": side_by_side("observed", {
            COVERAGE: percent(gaps, "case"), NATS: texts(means(gaps, "case", "ll")),
        }),
        "best": best_remaining.table(rows["best"]),
        "measures": shares_won(rows["measures"]),
        "machine": other_instructions.table(rows["machine"]),
    }  # fmt: skip
    return {name: table for name, table in made.items() if len(table)}


def texts(found: Estimates, form: str = ".3f") -> Cells:
    """With fewer digits where a number is so large that they mean nothing."""
    return {key: one.plus_minus(",.0f" if abs(one.value) >= 100 else form) for key, one in found.items()}


def percent(rows: pd.DataFrame, by: By) -> Cells:
    """Coverage, in percent before the mean: else some halves are rounded the other way."""
    hundredfold = rows.assign(cover90=100 * rows["cover90"])
    return {key: f"{text} %" for key, text in texts(means(hundredfold, by), ".1f").items()}


def by_cutoff(found: Cells, title: str, observed: str) -> pd.DataFrame:
    """A line for each case, a column for each cutoff; `observed`: what cutoffs count."""
    columns: dict[str, Cells] = {}
    for (case, cutoff), cell in found.items():
        columns.setdefault(f"{cutoff} {observed}", {})[case] = cell
    return side_by_side(title, columns)


def side_by_side(title: str, columns: dict[str, Cells]) -> pd.DataFrame:
    """A line for each case, called as on pages; `title` stands above them."""
    return pd.DataFrame(columns).rename(TITLES).rename_axis(title).reset_index()


def shares_won(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for (rival, cutoff), own in rows.groupby(["rival", "cutoff"], sort=False):
        better = own[[*MEASURES]] > 0
        shares = {f"by {title}": better[name] for name, title in MEASURES.items()}
        shares["measures disagree"] = better.nunique(axis=1) > 1
        cells = {title: f"{100 * share.mean():.0f} %" for title, share in shares.items()}
        lines.append({"network better than": f"{rival}, {cutoff} epochs"} | cells)
    return pd.DataFrame(lines)


def claims(rows: Rows, config: Config) -> list[Claim]:
    strange, gaps = means(rows["strange"], BY_CUTOFF), means(rows["gaps"], "case")
    gains = where(rows["measures"], rival="pow4", cutoff=10)
    disagree = (gains["ll"] > 0) != (gains["mse_noisy"] > 0)
    return [
        *(Claim(name, f"{begin} {OURS} after {cutoff} epochs {ASKS[needs]} at epochs 61, 76 and 100?",
                strange.get((case, cutoff)), needs, "%")
          for name, case, cutoff, begin, needs in STRANGE),
        Claim("spikes_cost", f"Do two outliers among 20 points leave the score of {NETWORK} on later points as it is?",
              lost(rows["strange"]).get(("spikes", 20)), AtMost(0), NATS),
        *of_distances(rows["ahead"], min(config.distances), max(config.distances)),
        *of_long_curves(rows["long"], config.cutoffs[0], config.cutoffs[-1]),
        *(Claim(name, asks, gaps.get(case), needs, "%") for name, case, asks, needs in GAPS),
        *best_remaining.claims(rows),
        Claim("measures_disagree", "Do log-likelihood and squared error prefer different forecasts (our 3 × 128 network or "
              "pow4) on few curves only?", Interval.of_many(disagree.astype(float)), AtMost(0.1), "%"),
        *other_instructions.claims(rows["machine"]),
    ]  # fmt: skip


def of_distances(rows: pd.DataFrame, near: int, far: int) -> list[Claim]:
    errors = rows.pivot(index="curve", columns="ahead", values="error").reindex(columns=[near, far])
    after = "After ten epochs of the prior’s own curves,"
    return [
        Claim("error_grows", f"{after} is the error of {NETWORK} {far} epochs ahead close to its error one epoch ahead?",
              ratio(errors[far], errors[near]), AtMost(2), "×"),
        Claim("far_is_honest", f"{after} is the coverage of {OURS} right {far} epochs ahead?",
              means(rows, "ahead").get(far), Between(0.87, 0.93), "%"),
    ]  # fmt: skip


def of_long_curves(rows: pd.DataFrame, few: int, many: int) -> list[Claim]:
    """`few` and `many` are shares of the curve that were observed, in percent."""
    thinned, numbered = "every fourth, renumbered", "every fourth, not renumbered"
    whole, covered = "every epoch, asked beyond 100", means(rows, BY_CUTOFF)
    lead = leads(where(rows, cutoff=few), "case", thinned, "ll", "curve", Interval.of_many).get(whole)
    thin = f"On curves of 400 epochs, with every fourth of the first {4 * few} observed"
    return [
        Claim("thinned_is_honest", f"{thin} and renumbered, does {OURS} keep its coverage?",
              covered.get((thinned, few)), RIGHT, "%"),
        Claim("thinning_loses", f"With {4 * few} of 400 epochs observed, does {NETWORK} score as high given every fourth as "
              "given all?", lead, AtMost(0), NATS),
        Claim("not_renumbered", f"{thin} under its own number, does {OURS} still cover later points?",
              covered.get((numbered, few)), COVERS, "%"),
    ]  # fmt: skip
