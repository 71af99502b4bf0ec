"""What does an annealed learning rate do to every extrapolator, and does it help to be told the planned rate?

Here on curves that we make up and on our own real networks; what annealed losses of language models do to the others'
forecasts stands in the rows of real_curves (nanogpt, adabelief), which the page shows beside these.
"""

from dataclasses import dataclass
from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from curvecast.training.train import TrainConfig, trained
from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.where import Rows
from reproduce.new_data import _beside, _factors, _forecasters
from reproduce.new_data._beside import Answer
from reproduce.new_data.told_schedule import chosen_runs, told_network
from reproduce.new_data.told_schedule.chosen_runs import ChosenRun
from reproduce.pictures.panels import around, legend, panels
from reproduce.protocols import forecasters
from reproduce.protocols.real_curve import SHARES
from reproduce.trainings import SMALL, TINY

METHODS = ("told", "untold", "shipped", "pow3", "pow4", "mmf4", "last")
KINDS = {"constant": ("constant", "warm-up"), "drops": ("drops",), "annealed": ("cosine", "linear")}
ROWS = {"made": "made up", "real": "real"}  # curves that we make up, and those of our own networks


@dataclass(frozen=True)
class Config:
    size: str = "2x96"
    made: int = 200  # curves
    real: int = 300  # curves of networks of ours, at most
    seed: int = 0


SCALES = {"smoke": Config("1x16", 8, 8), "laptop": Config(), "paper": Config("3x128", 600, 800)}

TABLES = {
    "curves": ("row", "curve", "group", "shape", "metric", "learns"),
    "rows": ("row", "curve", "seen", "method", *_beside.SCORES),
}


def models(config: Config) -> list[TrainConfig]:
    return [told_network.training((SMALL | TINY)[config.size], told) for told in (True, False)]


def parts(config: Config) -> list[str]:
    return ["simple", "fits", "networks", "shipped"]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return models(config) if part == "networks" else []


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    asked = {
        "made": chosen_runs.made(config.made, config.seed),
        "real": chosen_runs.real(read["own_curves"], config.real, config.seed),
    }
    rows = [
        _beside.scores([one.trial for one in puts], _answers(config, part, puts)).assign(row=row)
        for row, puts in asked.items()
    ]
    tables = {"rows": pd.concat(rows, ignore_index=True)[list(TABLES["rows"])]}
    if part == "simple":
        tables["curves"] = pd.concat([chosen_runs.about(puts) for puts in asked.values()], ignore_index=True)
    return tables


def _answers(config: Config, part: str, puts: list[ChosenRun]) -> dict[str, Answer]:
    if part == "networks":
        return {
            name: _with_plan(model, puts)
            for name, model in zip(("told", "untold"), models(config), strict=True)
        }
    asks = {
        "simple": lambda: {"last": forecasters.simple()["last"]},
        "fits": forecasters.fits_of_one_family,
        "shipped": lambda: {"shipped": _forecasters.the_one_that_ships()},
    }
    return {name: _beside.of_values(ask) for name, ask in asks[part]().items()}


def _with_plan(config: TrainConfig, puts: list[ChosenRun]) -> Answer:
    """Both networks are handed the plan; the one that is not told looks at the number of the epoch alone."""
    net = trained(config).model
    return _beside.told([one.plan for one in puts], lambda x, y, later: net.density(x, y.float(), later))


def _found(rows: Rows) -> pd.DataFrame:
    if not {"rows", "curves"} <= set(rows):
        return pd.DataFrame()
    kinds = {shape: kind for kind, shapes in KINDS.items() for shape in shapes}
    curves = (
        rows["curves"].assign(kind=rows["curves"]["shape"].map(kinds)).drop(columns="part", errors="ignore")
    )
    return rows["rows"].merge(curves, on=["row", "curve"])


def _of(found: pd.DataFrame, row: str, kind: str) -> pd.DataFrame:
    return found[(found["row"] == row) & (found["kind"] == kind)] if len(found) else found


def draw(rows: Rows) -> dict[str, Figure]:
    """How far the median of each lies below the end, by what the rate does."""
    if (found := _found(rows)).empty:
        return {}
    each = list(product(ROWS, KINDS))
    titles = [f"{kind} rate, {ROWS[row]}" for row, kind in each]
    figure, axes = panels(titles, (8, 4.4), len(KINDS), sharex=True, sharey="row")
    for ax, (row, kind) in zip(axes, each, strict=True):
        own = _of(found, row, kind)
        ax.axhline(0, color=style.ink(), linewidth=1, linestyle=":")
        for method in (name for name in METHODS if (own["method"] == name).any()):
            low = own[own["method"] == method].groupby("seen")["low"].mean()
            ax.plot(low.index, low, marker="o", markersize=3, **style.line(method))
        ax.set_xticks(SHARES)
    for ax in axes[:: len(KINDS)]:
        ax.set_ylabel("end above the median")
    around(figure, "per cent of the curve seen")
    legend(figure, axes, 3)
    return {"ends": figure}


def tabulate(rows: Rows) -> Rows:
    found = _found(rows)
    scores = {"crps": "CRPS / last value", "in90": "in the 90 % band", "low": "end above the median"}
    return {} if found.empty else {name: _table(found, name, title) for name, title in scores.items()}


def _table(found: pd.DataFrame, score: str, title: str) -> pd.DataFrame:
    """A line for each method."""
    return pd.DataFrame([
        {title: style.name(method)}
        | {f"{kind}, {ROWS[row]}": _cell(_of(found, row, kind), method, score)
           for row in ROWS for kind in KINDS}
        for method in METHODS if (found["method"] == method).any()
    ])  # fmt: skip


def _cell(own: pd.DataFrame, method: str, score: str) -> str:
    told = _factors.factor(own, method, "last") if score == "crps" else _factors.mean(own, method, score)
    return f"{told.value:.3f}" if told and score == "low" else f"{told.value:.2f}" if told else "–"


def claims(rows: Rows) -> list[Claim]:
    found = _found(rows)
    real = {kind: _of(found, "real", kind) for kind in KINDS}
    told = {kind: _factors.factor(own, "told", "untold") for kind, own in real.items()}
    return [
        claim("told_made", "On made-up annealed curves of our own law, being told lowers the CRPS: "
              "{value:.2f} times as large.",
              _factors.factor(_of(found, "made", "annealed"), "told", "untold"), "< 1"),
        claim("told_annealed", "On our own networks with annealed rates, being told the planned rate lowers the CRPS: "
              "{value:.2f} times as large.", told["annealed"], "< 1"),
        claim("told_drops", "On those whose rate drops it lowers the CRPS: {value:.2f} times as large.",
              told["drops"], "< 1"),
        claim("told_constant", "On those with a constant rate it multiplies the CRPS by at most {most}: by "
              "{value:.2f}.", told["constant"], "<= 1.05"),
        claim("low_untold", "Not told, the median is too low at the end of annealed networks of ours (0 to 1, more is "
              "better): the end lies {value:+.4f} above it.", _factors.mean(real["annealed"], "untold", "low"), "> 0"),
        claim("low_last", "The last value is too low at the end of annealed networks of ours: the end lies {value:+.4f} "
              "above it.",
              _factors.mean(real["annealed"], "last", "low"), "> 0"),
        claim("band_told", "Told, the 90 % band holds {least:.0%} to {most:.0%} of what annealed networks of ours "
                           "did: {value:.0%}.",
              _factors.mean(real["annealed"], "told", "in90"), "between 0.82 and 0.98"),
    ]  # fmt: skip
