"""How good are the forecasts, by cutoff, by size of the network, and beside simpler methods?"""

from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.training.train import TrainConfig, trained
from reproduce._press import style as looks
from reproduce._press.beside_lines import name_lines
from reproduce._press.claim import Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _luck_of_seeds, _method_scores
from reproduce.reproduction.accuracy import claims as claimed
from reproduce.reproduction.accuracy import order_of_measures, second_set
from reproduce.reproduction.accuracy.claims import PAPER
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

SIMPLE = ("last value", "pow3", "pow4", "mmf4")
STYLE = {"1x64": "small", "2x96": "medium", "3x128": "large", "ours": "ours"}
STYLE |= dict.fromkeys(PAPER, "paper") | {"sum": "sum", "last value": "last", "oracle": "oracle"}
STYLE |= {name: name for name in ("pow3", "pow4", "mmf4")}

STOPWATCHES = ("history.seconds",)


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
        {"P1": TINY_PAPER} | TINY,
        "1x16",
        curves=40,
        detailed=20,
        cutoffs=(10, 40),
        second=40,
        summed=8,
        seeds="training_luck/paper",
    ),
    "laptop": Config(curves=2500, detailed=200, second=10_000, summed=500, seeds="training_luck/paper"),
    "paper": Config(LARGE, "ours", detailed=1000, second=10_000, summed=500, seeds="training_luck/paper"),
}
NOT_AT_SMOKE_SCALE = {"models.precision": "half precision is for a GPU, which smoke scale does without"}


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def needs(config: Config, part: str) -> list[TrainConfig]:
    part = config.best if part == "second" else part
    return [config.models[part]] if part in config.models else []


def parts(config: Config) -> list[str]:
    return [*config.models, "simple", "sum", "second"]


def reads(config: Config) -> list[str]:
    return [config.seeds]


def measure(config: Config, part: str, read: dict[str, dict[str, pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    if part == "second":
        return {
            "second": second_set.scores(config.best, trained(config.models[config.best]), config.second),
            "luck": _luck_of_seeds.luck(read[config.seeds]["rows"]),
            "order": order_of_measures.scores(config.second),
        }
    curves = prior.test_set(config.curves)
    history = pd.DataFrame(columns=["method", "curves", "loss", "seconds"])
    if part == "sum":
        some = prior.test_set(config.summed)
        found = [_method_scores.simple("sum", some, cutoff, config.detailed) for cutoff in config.cutoffs]
    elif part not in config.models:
        found = [
            _method_scores.simple(method, curves, cutoff, config.detailed)
            for method in (*SIMPLE, "oracle") for cutoff in config.cutoffs
        ]  # fmt: skip
    else:
        forecaster = trained(config.models[part])
        found = [_method_scores.network(part, forecaster, curves, c, config.detailed) for c in config.cutoffs]
        history = pd.DataFrame(forecaster.history, columns=["curves", "loss", "seconds"]).assign(method=part)
    rows = pd.DataFrame([row for row, _ in found])
    each = {f"{row['method']}@{row['cutoff']}": ll.numpy().round(3) for row, ll in found}
    return {"rows": rows, "history": history, "each": pd.DataFrame(each)}


def _tables(rows: dict[str, pd.DataFrame] | pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Any part may be missing: of scores and losses the columns are there without it."""
    found = rows if isinstance(rows, dict) else {"rows": rows}
    empty = {"rows": ["method", "cutoff"], "history": ["method", "curves", "loss", "seconds"], "each": []}
    return {name: pd.DataFrame(columns=columns) for name, columns in empty.items()} | found


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    rows = _tables(rows)
    return {"likelihood": _draw_likelihood(rows["rows"]), "training": _draw_training(rows["history"])}


def _draw_likelihood(rows: pd.DataFrame) -> Figure:
    """Each method against the oracle, which knows the noise-free curve; a logarithmic axis fits both fits and networks."""
    figure, axis = plt.subplots(figsize=(7.6, 5.0))
    axis.set(xscale="log", yscale="log")
    ends = {}
    for method in (name for name in STYLE if name != "oracle"):
        mine = rows[rows["method"] == method]
        if len(mine):
            style, lost = looks.line(STYLE[method]), prior.ORACLE_LL - mine["ll_even"]
            error = 1.96 * mine["ll_even_se"]
            axis.errorbar(mine["cutoff"], lost, yerr=error, marker="o", markersize=4, **style)
            ends[looks.name(STYLE[method])] = (lost.iloc[-1], looks.colour(STYLE[method]))
    for number, method in enumerate(PAPER):
        lost = [prior.ORACLE_LL - float(log_likelihood(method, c) or "nan") for c in (10, 20, 40, 80)]
        axis.plot((10, 20, 40, 80), lost, color=looks.colour("paper"), linestyle="none", marker="Dso"[number],
                  markersize=6, fillstyle="none")  # fmt: skip
        ends[f"{method}, printed"] = (lost[-1], looks.colour("paper"))
    seen = sorted(set(rows["cutoff"]))
    axis.set_xticks(seen, [str(c) if c != 70 else "" for c in seen])  # next to 80 there is no room for a name
    axis.minorticks_off()
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set(xlabel="observed epochs, of 100", ylabel="nats per point below the oracle (lower is better)")
    name_lines(axis, ends, room=0.05)
    return figure


def _draw_training(history: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots()
    for method, mine in history.groupby("method"):
        smooth = mine["loss"].rolling(12, min_periods=1).mean()
        axis.plot(mine["curves"] / 1000, smooth, **looks.line(STYLE.get(str(method), "ours")))
    axis.set(
        xlabel="training curves, thousands",
        ylabel="training loss, nats per point (lower is better)",
        ylim=(-2.4, -1.4),
    )
    axis.legend()
    return figure


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    rows = _tables(rows)
    scores = rows["rows"]
    order = [m for m in (*config.models, *SIMPLE, "sum", "oracle") if m in set(scores["method"])]
    columns = {f"{c} %": c for c in config.cutoffs}

    def pivot(value: str, form: str, factor: float = 1.0) -> pd.DataFrame:
        cells = {"method": [_shown(m) for m in order]}
        for title, cutoff in columns.items():
            at = scores[scores["cutoff"] == cutoff].set_index("method")
            pairs = [factor * at.loc[m, [value, value + "_se"]].astype(float) for m in order]
            cells[title] = [Interval.with_error(*pair).plus_minus(form) for pair in pairs]
        return pd.DataFrame(cells)

    likelihood = pivot("ll_even", ".3f")
    if "second" in rows:
        again = second_set.row(
            rows["second"], config.best, f"{_shown(config.best)}, second test set", columns
        )
        place = order.index(config.best) + 1 if config.best in order else len(order)
        likelihood = pd.concat([likelihood[:place], again, likelihood[place:]], ignore_index=True)
    for method in PAPER:
        cells = [log_likelihood(method, c) for c in columns.values()]
        likelihood.loc[len(likelihood)] = [
            f"{method}, printed",
            *["–" if v is None else f"{v:.3f}" for v in cells],
        ]
    return {
        "likelihood": likelihood,
        "mse": pivot("mse_clean", ".3f", 1000),
        "mse_noisy": pivot("mse_noisy", ".3f", 1000),
        "coverage": pivot("cover90", ".3f"),
        "crps": pivot("crps", ".2f", 1000),
        "settings": _settings(rows, config),
    } | _more_tables(rows, config)


def _more_tables(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    if "second" not in rows:
        return {}
    second = second_set.table(rows["rows"], rows["second"], rows["luck"], config.best)
    return {"second_set": second, "order": order_of_measures.table(rows["order"])}


def _shown(method: str) -> str:
    names = {"mmf4": "MMF4", "sum": "sum of families"}
    return method.replace("x", " × ") if method[0].isdigit() else names.get(method, method)


def _settings(rows: dict[str, pd.DataFrame], config: Config) -> pd.DataFrame:
    cells = []
    for method, train in config.models.items():
        mine, history = where(rows["rows"], method=method), where(rows["history"], method=method)
        if len(mine):
            cells.append({
                "network": _shown(method), "parameters": f"{mine['parameters'].iloc[0]:,.0f}", "curves": f"{train.curves:,}",
                "curves per step": str(train.batch), "minutes": f"{history['seconds'].max() / 60:.1f}",
                "final loss": f"{history['loss'].iloc[-5:].mean():.3f}",
            })  # fmt: skip
    return pd.DataFrame(
        cells, columns=["network", "parameters", "curves", "curves per step", "minutes", "final loss"]
    )


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    size = config.models[config.best].model
    return claimed.claims(_tables(rows), config.best, f"{size.layers} × {size.width}")
