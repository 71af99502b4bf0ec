"""How good are the forecasts, by cutoff, by size of the network, and beside simpler methods?

The recipe was chosen on the first curves of the first test set; claims about printed scores rest on a second one.
"""

import math
from dataclasses import dataclass, field
from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.scores import baselines, metrics
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style as looks
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Claim
from reproduce._press.estimates import Estimates, line, of, table, with_errors
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.pictures.beside_lines import name_lines
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds, _method_scores
from reproduce.reproduction._grid_rows import CUTOFFS, from_printed
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

PAPER = {
    "P1": "P1 (3 × 128, 10M curves)",
    "P2": "P2 (3 × 256, 10M curves)",
    "P3": "P3 (12 × 512, 10M curves)",
}
SIMPLE = ("last value", "pow3", "pow4", "mmf4")
STYLE = {"1x64": "small", "2x96": "medium", "3x128": "large", "ours": "ours"}
STYLE |= dict.fromkeys(PAPER, "paper") | {"sum": "sum", "last value": "last", "oracle": "oracle"}
STYLE |= {name: name for name in ("pow3", "pow4", "mmf4")}
NATS = "nats per point"
# Does the better method depend on the measure? Two simple methods on the same curves, by two measures.
PAIR, EARLY = ("last value", "pow4"), (5, 10, 20)
MEASURES = {"mse_clean": ("squared error × 1,000", 1000, ".2f"), "ll": ("log-likelihood", 1, ".3f")}


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: SMALL)
    best: str = "3x128"  # of them: the claims are about this one
    curves: int = 10_000  # all of the first test set
    detailed: int = 500  # the first of them, for every measure but the likelihood
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70, 80)
    second: int = later(0)  # curves of the second test set, for the best network alone
    summed: int = later(0)  # curves of the first test set for the sum of all families, which is slow to fit
    seeds: str = later("")  # the question whose rows give the seed-to-seed variation


SCALES = {
    "smoke": Config(
        {"P1": TINY_PAPER} | TINY, "1x16", curves=40, detailed=20, cutoffs=(10, 40), second=40, summed=8,
        seeds="training_luck/paper",
    ),
    "laptop": Config(curves=2500, detailed=200, second=10_000, summed=500, seeds="training_luck/paper"),
    "paper": Config(LARGE, "ours", detailed=1000, second=10_000, summed=500, seeds="training_luck/paper"),
}  # fmt: skip
NOT_AT_SMOKE_SCALE = {"models.precision": "half precision is for a GPU, which smoke scale does without"}
TABLES = {
    "rows": ...,  # means and errors of all measures of a method at a cutoff
    "each": ...,  # a column for each method and cutoff: its likelihood on each curve
    "history": ("method", "curves", "loss", "seconds"),
    "second": ("method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se"),
    "luck": ("cutoff", "seeds", "sd"),
    "order": ("method", "cutoff", "measure", "n", "value", "se"),
}
STOPWATCHES = ("history.seconds",)


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def parts(config: Config) -> list[str]:
    return [*config.models, "simple", "sum", "second"]


def needs(config: Config, part: str) -> list[TrainConfig]:
    part = config.best if part == "second" else part
    return [config.models[part]] if part in config.models else []


def reads(config: Config) -> list[str]:
    return [config.seeds]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    if part == "second":
        network, curves = trained(config.models[config.best]), prior.second_test_set(config.second)
        return {
            "second": pd.DataFrame(_method_scores.likelihoods(config.best, network, curves, CUTOFFS)),
            "luck": _luck_of_seeds.luck(read[config.seeds]["rows"]),
            "order": order_of_measures(config.second),
        }
    curves = prior.test_set(config.summed if part == "sum" else config.curves)
    history = pd.DataFrame(columns=["method", "curves", "loss", "seconds"])
    if part in config.models:
        network = trained(config.models[part])
        scored = [_method_scores.network(part, network, curves, c, config.detailed) for c in config.cutoffs]
        history = pd.DataFrame(network.history, columns=["curves", "loss", "seconds"]).assign(method=part)
    else:
        methods = ("sum",) if part == "sum" else (*SIMPLE, "oracle")
        asked = product(methods, config.cutoffs)
        scored = [_method_scores.simple(method, curves, c, config.detailed) for method, c in asked]
    each = {f"{row['method']}@{row['cutoff']}": ll.numpy().round(3) for row, ll in scored}
    return {"rows": pd.DataFrame([row for row, _ in scored]), "history": history, "each": pd.DataFrame(each)}


def order_of_measures(size: int) -> pd.DataFrame:
    """Of two methods a row each, and one for the second minus the first, curve by curve."""
    curves, rows = prior.test_set(size), []
    x, y, clean = torch.arange(1, 101).double(), curves.noisy.double(), curves.clean.double()
    for c in EARLY:
        forecasts = [baselines.forecast(method, x[:c], y[:, :c], x[c:]) for method in PAIR]
        one, other = (metrics.scores(forecast, y[:, c:], clean[:, c:]) for forecast in forecasts)
        for measure in MEASURES:
            means = (metrics.estimate(one[measure]), metrics.estimate(other[measure]))
            gap = metrics.paired(other[measure], one[measure])
            rows += [
                {"method": method, "cutoff": c, "measure": measure, "n": size, "value": e.value, "se": e.se}
                for method, e in zip((*PAIR, "gap"), (*means, gap), strict=True)
            ]
    return pd.DataFrame(rows)


# ------------------------------------------------------------------------------------------------- estimates


def likelihoods(rows: pd.DataFrame) -> Estimates:
    """By method and cutoff."""
    return with_errors(rows, "ll_even", "method", "cutoff")


def in_order(rows: pd.DataFrame, measure: str, times: float = 1.0) -> Estimates:
    """Of the two simple methods and their gap, by method and cutoff."""
    mine = where(rows, measure=measure).rename(columns={"se": "value_se"})
    return with_errors(mine, "value", "method", "cutoff", times=times)


def beside_printed(rows: Rows, method: str, cutoff: int, printed: float) -> Interval | None:
    """The score on the second set; its interval counts errors of the printed one and seed-to-seed variation."""
    mine = where(rows["second"], method=method, cutoff=cutoff)
    if mine.empty:
        return None
    gap = from_printed(mine.iloc[0], printed, luck=_luck_of_seeds.half_width(rows["luck"], cutoff))
    return Interval.around(float(mine["ll_even"].iloc[0]), gap.half)


def first_above_second(rows: Rows, method: str, cutoff: int = 10) -> Interval | None:
    first, second = (likelihoods(rows[name]).get((method, cutoff)) for name in ("rows", "second"))
    if first is None or second is None:
        return None
    return Interval.around(first.value - second.value, math.hypot(first.half, second.half))


def retrained(rows: pd.DataFrame, method: str, printed_as: str) -> Interval:
    """At the worst of all cutoffs: how far ours is above the printed score, or how far the paper's recipe is from it."""
    leads = []
    for cutoff in (10, 20, 40, 80):
        mine = where(rows, method=method, cutoff=cutoff)
        printed = float(log_likelihood(printed_as, cutoff) or "nan")
        gap = Interval(*[math.nan] * 3) if mine.empty else from_printed(mine.iloc[0], printed)
        leads.append(Interval.around(gap.value if method == "ours" else -abs(gap.value), gap.half))
    worst = Interval(*map(min, zip(*leads, strict=True)))  # the lowest of each end
    return worst if method == "ours" else Interval(-worst.value, max(0.0, -worst.high), -worst.low)


def ahead(each: pd.DataFrame, best: str, rivals: tuple[str, ...], cutoff: int) -> Interval | None:
    """Of the rival that is best at this cutoff, on the first curves of the test set, curve by curve."""
    columns = [f"{rival}@{cutoff}" for rival in rivals]
    if not {f"{best}@{cutoff}", *columns} <= set(each.dropna(axis=1, how="all")):
        return None
    rival = max(columns, key=lambda column: each[column].mean())
    ours, theirs = (torch.tensor(each[column].dropna().to_numpy()) for column in (f"{best}@{cutoff}", rival))
    return Interval.with_error(*metrics.paired(ours[: len(theirs)], theirs))


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {"likelihood": _likelihood(likelihoods(rows["rows"])), "training": _training(rows["history"])}


def _likelihood(found: Estimates) -> Figure:
    """Each method against the oracle, which knows the noise-free curve; a logarithmic axis fits both fits and networks."""
    figure, axis = plt.subplots(figsize=(7.6, 5.0))
    axis.set(xscale="log", yscale="log")
    ends = {}
    for method in (name for name in STYLE if name != "oracle"):
        if mine := of(found, method):
            lost = {
                cutoff: Interval.around(prior.ORACLE_LL - one.value, one.half) for cutoff, one in mine.items()
            }
            line(axis, lost, marker="o", markersize=4, **looks.line(STYLE[method]))
            ends[looks.name(STYLE[method])] = ([*lost.values()][-1].value, looks.colour(STYLE[method]))
    for number, method in enumerate(PAPER):
        lost_in_print = [
            prior.ORACLE_LL - float(log_likelihood(method, c) or "nan") for c in (10, 20, 40, 80)
        ]
        axis.plot((10, 20, 40, 80), lost_in_print, color=looks.colour("paper"), linestyle="none", marker="Dso"[number],
                  markersize=6, fillstyle="none")  # fmt: skip
        ends[f"{method}, printed"] = (lost_in_print[-1], looks.colour("paper"))
    seen = sorted({cutoff for _, cutoff in found})
    axis.set_xticks(seen, [str(c) if c != 70 else "" for c in seen])  # next to 80 there is no room for a name
    axis.minorticks_off()
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set(xlabel="observed epochs, of 100", ylabel="nats per point below the oracle (lower is better)")
    name_lines(axis, ends, room=0.05)
    return figure


def _training(history: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots()
    for method, mine in history.groupby("method"):
        smooth = mine["loss"].rolling(12, min_periods=1).mean()
        axis.plot(mine["curves"] / 1000, smooth, **looks.line(STYLE.get(str(method), "ours")))
    label = "training loss, nats per point (lower is better)"
    axis.set(xlabel="training curves, thousands", ylabel=label, ylim=(-2.4, -1.4))
    axis.legend()
    return figure


def tabulate(rows: Rows, config: Config) -> Rows:
    scores, columns = rows["rows"], {f"{c} %": c for c in config.cutoffs}
    there = {method for method, _ in likelihoods(scores)}
    methods = {_shown(m): m for m in (*config.models, *SIMPLE, "sum", "oracle") if m in there}

    def means(value: str, form: str, times: float = 1.0) -> pd.DataFrame:
        return table(
            with_errors(scores, value, "method", "cutoff", times=times), "method", methods, columns, form
        )

    return {
        "likelihood": _with_printed(means("ll_even", ".3f"), rows, config, columns),
        "mse": means("mse_clean", ".3f", 1000),
        "mse_noisy": means("mse_noisy", ".3f", 1000),
        "coverage": means("cover90", ".3f"),
        "crps": means("crps", ".2f", 1000),
        "settings": _settings(rows, config),
    } | (_of_second_set(rows, config.best) if len(rows["second"]) else {})


def _with_printed(
    likelihood: pd.DataFrame, rows: Rows, config: Config, columns: dict[str, int]
) -> pd.DataFrame:
    """The best network has a second line, for the second test set; the lines of the paper come last."""
    lines = [likelihood]
    if len(rows["second"]):
        best, name = _shown(config.best), f"{_shown(config.best)}, second test set"
        place = [*likelihood["method"], best].index(best) + 1
        again = table(likelihoods(rows["second"]), "method", {name: config.best}, columns, ".3f")
        lines = [likelihood[:place], again, likelihood[place:]]
    printed = {m: [log_likelihood(m, c) for c in columns.values()] for m in PAPER}
    cells = [
        [f"{m}, printed", *("–" if v is None else f"{v:.3f}" for v in of_m)] for m, of_m in printed.items()
    ]
    return pd.concat([*lines, pd.DataFrame(cells, columns=likelihood.columns)], ignore_index=True)


def _of_second_set(rows: Rows, best: str) -> Rows:
    """Both sets with their sizes, and the seed-to-seed variation; and the two measures of two methods."""
    columns, lines = {f"{c} %": c for c in CUTOFFS}, []
    for name, some in (("first", rows["rows"]), ("second", rows["second"])):
        if len(mine := where(some, method=best)):
            lines.append(
                table(
                    likelihoods(some),
                    "test set",
                    {f"{name}, {mine['n'].iloc[0]:,} curves": best},
                    columns,
                    ".3f",
                )
            )
    luck = {f"{c} %": f"{_luck_of_seeds.half_width(rows['luck'], c):.3f}" for c in rows["luck"]["cutoff"]}
    lines.append(pd.DataFrame([{"test set": "seed-to-seed variation, 95 %"} | luck]))
    early = {f"{c} %": c for c in EARLY}
    order = [
        table(
            in_order(rows["order"], measure, times), "measure", {f"{name}, {m}": m for m in PAIR}, early, form
        )
        for measure, (name, times, form) in MEASURES.items()
    ]
    return {"second_set": pd.concat(lines), "order": pd.concat(order)}


def _shown(method: str) -> str:
    names = {"mmf4": "MMF4", "sum": "sum of families"}
    return method.replace("x", " × ") if method[0].isdigit() else names.get(method, method)


def _settings(rows: Rows, config: Config) -> pd.DataFrame:
    cells = []
    for method, train in config.models.items():
        mine, history = where(rows["rows"], method=method), where(rows["history"], method=method)
        if len(mine):
            cells.append({
                "network": _shown(method), "parameters": f"{mine['parameters'].iloc[0]:,.0f}", "curves": f"{train.curves:,}",
                "curves per step": str(train.batch), "minutes": f"{history['seconds'].max() / 60:.1f}",
                "final loss": f"{history['loss'].iloc[-5:].mean():.3f}",
            })  # fmt: skip
    columns = ["network", "parameters", "curves", "curves per step", "minutes", "final loss"]
    return pd.DataFrame(cells, columns=columns)


def claims(rows: Rows, config: Config) -> list[Claim]:
    best, size = config.best, config.models[config.best].model
    ours, stated = f"{size.layers} × {size.width} network", []
    for method, cutoff in product(("P1", "P2"), (10, 20, 40, 80)):
        printed = log_likelihood(method, cutoff)
        stated.append(Claim(
            f"reaches_{method.lower()}_at_{cutoff}",
            f"After {cutoff} % of the epochs, does our {ours} score at least as high as the paper prints for "
            f"{PAPER[method]}?",
            beside_printed(rows, best, cutoff, printed or math.nan), AtLeast(printed or math.nan), NATS, printed,
        ))  # fmt: skip
    stated.append(Claim(
        "first_set_does_not_flatter",
        f"After 10 epochs, does this {ours} score hardly higher on the curves on which its recipe was chosen than on a "
        "second set of curves?",
        first_above_second(rows, best), AtMost(0.05), NATS,
    ))  # fmt: skip
    rivals = {
        "beats_fits": ("the best of three least-squares fits", ("pow3", "pow4", "mmf4")),
        "beats_the_sum": ("least squares with the sum of all the prior’s families", ("sum",)),
    }
    for (name, (rival, methods)), cutoff in product(rivals.items(), (10, 40)):
        asks = f"After {cutoff} % of the epochs, does this {ours} score higher than {rival}?"
        stated.append(
            Claim(f"{name}_at_{cutoff}", asks, ahead(rows["each"], best, methods, cutoff), Above(0), NATS)
        )
    for measure, name, which, unit in (
        ("mse_clean", "pow4_errs_more", "larger squared error", ""),
        ("ll", "pow4_is_likelier", "higher log-likelihood", NATS),
    ):
        asks = (
            "After 10 % of the epochs, does a power law with four parameters, fitted by least squares (pow4), have a "
            f"{which} than repeating the last value?"
        )
        stated.append(Claim(name, asks, in_order(rows["order"], measure).get(("gap", 10)), Above(0), unit))
    again = "Does {}, trained again with the paper’s recipe, score as printed at every cutoff?"
    for method, name in PAPER.items():
        off = retrained(rows["rows"], method, method)
        stated.append(Claim(f"reproduces_{method.lower()}", again.format(name), off, Below(0.03), NATS))
    asks = (
        "Does a network of the size of P3, trained with our recipe on as many curves, score at least as high as P3 as "
        "printed at every cutoff?"
    )
    return [*stated, Claim("ours_reaches_p3", asks, retrained(rows["rows"], "ours", "P3"), AtLeast(0), NATS)]
