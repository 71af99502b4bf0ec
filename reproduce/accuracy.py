"""How good are the forecasts, by cutoff, by size of the network, and beside simpler methods?"""

from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast import metrics, prior
from curvecast.train import TrainConfig, trained
from reproduce import _scores, _style
from reproduce._contract import Claim
from reproduce._models import LARGE, SMALL, TINY
from reproduce._paper import log_likelihood

SIMPLE = ("last value", "pow3", "pow4", "mmf4")
PAPER = {
    "P1": "the paper's P1 (3 × 128, 10M curves)",
    "P2": "the paper's P2 (3 × 256, 10M curves)",
    "P3": "the paper's P3 (12 × 512, 10M curves)",
}
STYLE = {
    "1x64": "small",
    "2x96": "medium",
    "3x128": "large",
    "ours": "ours",
    "P1": "paper",
    "P2": "paper",
    "P3": "paper",
}
STYLE |= {"last value": "last", "oracle": "oracle"}
STYLE |= {name: name for name in ("pow3", "pow4", "mmf4")}


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: SMALL)
    best: str = "3x128"  # of them: the claims speak of it
    curves: int = 10_000  # of THE test set: all
    detailed: int = 500  # of them, the first ones, for everything but the likelihood
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70, 80)


SCALES = {
    "smoke": Config(TINY, "1x16", curves=40, detailed=20, cutoffs=(10, 40)),
    "laptop": Config(curves=5000, detailed=200),
    "paper": Config(LARGE, "ours", detailed=1000),
}


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.models[part]] if part in config.models else []


def parts(config: Config) -> list[str]:
    return [*config.models, *(method.replace(" ", "-") for method in (*SIMPLE, "oracle"))]


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    curves = prior.test_set(config.curves)
    if part not in config.models:
        found = [_scores.simple(part.replace("-", " "), curves, c, config.detailed) for c in config.cutoffs]
        history = pd.DataFrame(columns=["method", "curves", "loss", "seconds"])
    else:
        forecaster = trained(config.models[part])
        found = [_scores.network(part, forecaster, curves, c, config.detailed) for c in config.cutoffs]
        history = pd.DataFrame(forecaster.history).assign(method=part)
    rows = pd.DataFrame([row for row, _ in found])
    each = {f"{row['method']}@{row['cutoff']}": ll.numpy().round(3) for row, ll in found}
    return {"rows": rows, "history": history, "each": pd.DataFrame(each)}


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    return {"likelihood": _draw_likelihood(rows["rows"]), "training": _draw_training(rows["history"])}


def _draw_likelihood(rows: pd.DataFrame) -> Figure:
    """Left all methods; right the networks and the printed numbers alone, where the left panel has no room."""
    figure, (wide, near) = plt.subplots(1, 2, figsize=(9.4, 4.0))
    for axis, methods in ((wide, STYLE), (near, [m for m in STYLE if m not in (*SIMPLE, "oracle")])):
        for method in methods:
            mine = rows[rows["method"] == method]
            if len(mine):
                error = 1.96 * mine["ll_even_se"]
                style = _style.line(STYLE[method]) | ({} if axis is wide else {"label": None})
                axis.errorbar(mine["cutoff"], mine["ll_even"], yerr=error, marker="o", markersize=4, **style)
        for number, method in enumerate(PAPER):
            values = [(c, log_likelihood(method, c)) for c in (10, 20, 40, 80)]
            axis.plot(*zip(*values, strict=True), color=_style.colour("paper"), linestyle="none", marker="Dso"[number],
                      markersize=6, fillstyle="none", label=f"{method} as printed" if axis is wide else None)  # fmt: skip
        axis.set_xlabel("epochs seen, of 100")
    wide.set(ylabel="log-likelihood, nats per point", ylim=(max(-0.5, rows["ll_even"].min() - 0.1), None))
    near.set_title("the networks alone")
    figure.legend(loc="outside upper center", ncols=5)
    return figure


def _draw_training(history: pd.DataFrame) -> Figure:
    figure, axis = plt.subplots()
    for method, mine in history.groupby("method"):
        smooth = mine["loss"].rolling(12, min_periods=1).mean()
        axis.plot(mine["curves"] / 1000, smooth, **_style.line(STYLE.get(str(method), "ours")))
    axis.set(xlabel="curves seen, thousands", ylabel="training loss, nats per point", ylim=(-2.4, -1.4))
    axis.legend()
    return figure


def tabulate(rows: dict[str, pd.DataFrame], config: Config) -> dict[str, pd.DataFrame]:
    scores = rows["rows"]
    order = [m for m in (*config.models, *SIMPLE, "oracle") if m in set(scores["method"])]
    columns = {f"{c} %": c for c in config.cutoffs}

    def pivot(value: str, form: str, factor: float = 1.0) -> pd.DataFrame:
        cells = {"method": [_shown(m) for m in order]}
        for title, cutoff in columns.items():
            at = scores[scores["cutoff"] == cutoff].set_index("method")
            cells[title] = [
                f"{factor * at.loc[m, value]:{form}} ± {factor * at.loc[m, value + '_se']:{form}}"
                for m in order
            ]
        return pd.DataFrame(cells)

    likelihood = pivot("ll_even", ".3f")
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
    }


def _shown(method: str) -> str:
    return method.replace("x", " × ") if method[0].isdigit() else method


def _settings(rows: dict[str, pd.DataFrame], config: Config) -> pd.DataFrame:
    cells = []
    for method, train in config.models.items():
        mine, history = (
            rows["rows"][rows["rows"]["method"] == method],
            rows["history"][rows["history"]["method"] == method],
        )
        if len(mine):
            cells.append({
                "network": _shown(method), "parameters": f"{mine['parameters'].iloc[0]:,.0f}", "curves": f"{train.curves:,}",
                "curves a step": str(train.batch), "minutes": f"{history['seconds'].max() / 60:.1f}",
                "final loss": f"{history['loss'].iloc[-5:].mean():.3f}",
            })  # fmt: skip
    return pd.DataFrame(
        cells, columns=["network", "parameters", "curves", "curves a step", "minutes", "final loss"]
    )


def claims(rows: dict[str, pd.DataFrame], config: Config) -> list[Claim]:
    scores = rows["rows"].set_index(["method", "cutoff"])
    best, size = config.best, config.models[config.best].model
    stated = []
    for method in ("P1", "P2"):
        for cutoff in (10, 20, 40, 80):
            printed = log_likelihood(method, cutoff)
            value, se = _at(scores, best, cutoff)
            stated.append(Claim(
                f"reaches_{method.lower()}_at_{cutoff}",
                f"With {cutoff} % of the epochs seen, our {size.layers} × {size.width} network reaches {PAPER[method]}: "
                "{value:.3f} nats against {printed:.3f} printed.",
                value, value - 1.96 * se, value + 1.96 * se, f">= {printed}", printed,
            ))  # fmt: skip
    return [*stated, *_against_fits(rows["each"], best), *_retrained(scores)]


def _at(scores: pd.DataFrame, method: str, cutoff: int) -> tuple[float, float]:
    """Log-likelihood and its standard error, the test set's luck removed; NaN where nothing was measured."""
    if (method, cutoff) not in scores.index:
        return float("nan"), float("nan")
    return float(scores.loc[(method, cutoff), "ll_even"]), float(scores.loc[(method, cutoff), "ll_even_se"])


def _retrained(scores: pd.DataFrame) -> list[Claim]:
    """At paper scale: the paper's own recipe against what it prints, and ours against its largest network."""
    stated = []
    again = "{method}, trained again with the paper's recipe, gives what is printed; the largest gap is {{value:.3f}} nats."
    for name, method, sentence, condition in (
        ("reproduces_p1", "P1", again.format(method="P1"), "< 0.03"),
        ("reproduces_p2", "P2", again.format(method="P2"), "< 0.03"),
        ("reproduces_p3", "P3", again.format(method="P3"), "< 0.03"),
        ("ours_reaches_p3", "ours", "Our recipe reaches P3 at every cutoff; the smallest lead is {value:+.3f} nats.", ">= 0"),
    ):  # fmt: skip
        leads = []  # of the interval and its middle, at each cutoff
        for cutoff in (10, 20, 40, 80):
            value, se = _at(scores, method, cutoff)
            lead = value - float(log_likelihood(method if method != "ours" else "P3", cutoff) or "nan")
            lead = lead if method == "ours" else -abs(lead)
            leads.append((lead, lead - 1.96 * se, lead + 1.96 * se))
        worst = [
            min(numbers) for numbers in zip(*leads, strict=True)
        ]  # the interval of a worst case: the worst of each end
        value, low, high = worst if method == "ours" else (-worst[0], max(0.0, -worst[2]), -worst[1])
        stated.append(Claim(name, sentence, value, low, high, condition))
    return stated


def _against_fits(each: pd.DataFrame, best: str) -> list[Claim]:
    """Paired on the same curves: how far is the network above the best fit for that cutoff?"""
    stated = []
    for cutoff in (10, 40):
        name = f"beats_fits_at_{cutoff}"
        sentence = f"With {cutoff} % of the epochs seen, it is {{value:.2f}} nats above the best of three least-squares fits."
        columns = [f"{m}@{cutoff}" for m in ("pow3", "pow4", "mmf4")]
        if not {f"{best}@{cutoff}", *columns} <= set(each.columns):
            stated.append(Claim(name, sentence, None, None, None, "> 0"))
            continue
        fits = max(columns, key=lambda c: each[c].mean())
        ours, theirs = (torch.tensor(each[c].dropna().to_numpy()) for c in (f"{best}@{cutoff}", fits))
        gap = metrics.paired(ours, theirs)
        stated.append(Claim(name, sentence, gap.value, gap.low, gap.high, "> 0"))
    return stated
