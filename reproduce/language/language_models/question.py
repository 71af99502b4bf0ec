"""Which language model foresees curves best, and how far is it from the network that forecasts?

Values are words, 256 buckets of the bar distribution. A ladder of models says the next word: uniform, n-grams, feed-forward,
an LSTM, transformers. Beside them stands a PFN, trained on the same curves for as long. Further ahead, the LSTM's
continuations are sampled, and futures of the PFN as well. All scores are densities of values, in nats per point.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting import shipped, torch_network
from curvecast.training.train import TrainConfig
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, in_cell, style, there, where
from presswork.estimates import by_mean
from reproduce.language.language_models import tails, trained
from reproduce.language.language_models.trained import COUNTS, NATS, ORACLE, PFN, TIED, UNIFORM, Trainings
from reproduce.pictures.panels import dots, panels

MODELS = ("feed-forward", "LSTM", "transformer", TIED)
LATER, HIGHEST = "later", "highest"  # parts that ask the LSTM and the PFN
RELEASED, RATES = "released", "rates"  # parts of the released model, and of what chose the rates
LADDER = {  # from below, and their colours
    UNIFORM: "last", COUNTS: "steps", "feed-forward": "convolution", "LSTM": "recurrent", "transformer": "attention",
    TIED: "attention", PFN: "ours", ORACLE: "oracle",
}  # fmt: skip
STOPWATCHES = ("rows.seconds",)
TABLES = {
    "rows": ("model", "seed", "order", "discount", "curves", "seconds", "curve", "ll", "bits", "own_perplexity", "near"),
    "rates": ("model", "seed", "rate", "ll"),
    "tails": ("seed", "method", "cutoff", "curve", "ll", "lost", "cover"),
    "highest": ("seed", "method", "cutoff", "words", "curve", "crps"),
}  # fmt: skip
DRAWN = "sampled words follow the weights, whose last digits differ between processors"
TOLERANCES = {
    **dict.fromkeys(("tails.ll", "tails.lost", "tails.cover", "highest.crps"), ("chaotic", DRAWN)),
    "rows.near": ("chaotic", "of two vectors that are almost as near, another may win on another processor"),
}  # fmt: skip


@dataclass(frozen=True)
class Config:
    seeds: int = 3
    models: tuple[str, ...] = MODELS
    trainings: Trainings = Trainings()
    scored: int = 300  # curves of the second test set, one step ahead
    forecast: int = 80  # curves of the first one, on which the exact posterior is known
    samples: int = 80
    futures: int = 10  # for the highest later value
    rates: tuple[float, ...] = (0.006, 0.016, 0.04, 0.1, 0.25)  # tried, of the tables of words
    released: bool = True
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config(
        1, trainings=Trainings(8, 16, 64, (1, 2), 4, 8, 64, 64, 64, 64), scored=4, forecast=2, samples=3, futures=2,
        rates=(0.04,),
    ),
    "laptop": Config(
        1, ("LSTM", "transformer"), Trainings(counted=4_000, validated=100, pfn=6_400, lstm=4_544, transformer=3_840),
        scored=100, forecast=20, samples=40, futures=2, rates=(), released=False,
    ),
    "paper": Config(),
}  # fmt: skip


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """Seed by seed, so that a run which is cut short has all models of the first seed."""
    names = (COUNTS, *config.models, PFN, LATER, HIGHEST)
    each = [(name, seed) for seed in range(config.seeds) for name in names]
    each += [(RELEASED, 0)] * config.released + [(RATES, trained.TUNING)] * bool(config.rates)
    return {f"{name}-{seed}".replace(", ", "."): {"name": name, "seed": seed} for name, seed in each}


def needs(config: Config, name: str, seed: int) -> list[TrainConfig]:
    """A network of the ladder, or the LSTM and the PFN."""
    if name == RATES:
        return [config.trainings.config(one, seed, rate) for one in config.models for rate in config.rates]
    both = ("LSTM", PFN)
    asked = {COUNTS: (), RELEASED: (), LATER: both, HIGHEST: both}.get(name, (name,))
    return [config.trainings.config(one, seed) for one in asked]


def reads(config: Config) -> list[str]:
    return [config.judged]


def measure(config: Config, name: str, seed: int, read: dict[str, Any]) -> Rows:
    how, asked = config.trainings, [trained.forecaster(model) for model in needs(config, name, seed)]
    vocabulary, y = how.vocabulary(), prior.second_test_set(config.scored).noisy
    noisy, generator = prior.test_set(config.forecast).noisy, torch.Generator().manual_seed(seed)
    if name == COUNTS:
        frame = pd.concat([trained.without_training(how, y, seed), trained.oracle(config.scored, vocabulary)])
        tables = {"rows": frame.assign(seconds=float("nan"))}
    elif name == RATES:
        tables = {"rates": trained.rates(how, asked, config.models)}
    elif name == LATER:
        (language, pfn), judged = asked, where(read[config.judged]["rows"], method="exact")
        tables = {"tails": tails.after_cutoffs(language, pfn, noisy, judged, config.samples, seed)}
    elif name == RELEASED:
        model = torch_network.load(shipped.path_of("released"))
        futures = {tails.RELEASED: partial(tails.of_pfn, model, vocabulary, config.futures, generator)}
        tables = {"highest": tails.highest(futures, noisy)}
    elif name == HIGHEST:
        language, pfn = asked
        futures = {
            tails.SAMPLED: partial(tails.of_language, language, config.futures, generator),
            tails.FUTURES: partial(tails.of_pfn, pfn, vocabulary, config.futures, generator),
            tails.ALONE: partial(tails.of_pfn, pfn, vocabulary, config.futures, generator, together=False),
        }
        tables = {"highest": tails.highest(futures, noisy)}
    else:
        net = asked[0]
        about = {"model": name, "curves": net.config.curves, "seconds": net.history[-1].get("core_seconds")}
        frame = trained.of_network(net, vocabulary, y)
        tables = {"rows": frame.assign(**about, order=float("nan"), discount=float("nan"))}
    return {name: table.assign(seed=seed) for name, table in tables.items()}


def estimates(rows: Rows) -> Estimates:
    """Of the next point {model: nats}, over seeds, and {(model, other): nats above the other}, over seeds and curves;
    {("models", "seconds", model): of a training, the median}; and those of `tails`."""
    points = rows["rows"]
    pairs = (("feed-forward", COUNTS), ("LSTM", "feed-forward"), ("transformer", "LSTM"), (TIED, "transformer"),
             ("LSTM", PFN))  # fmt: skip
    above = there({pair: tails.above(points, "model", *pair) for pair in pairs})
    ladder = by_mean(points.groupby(["model", "seed"], as_index=False)["ll"].mean(), "model", "ll")
    took = points.groupby("model")["seconds"].median().dropna()
    seconds = {("models", "seconds", name): Interval.without_ends(s) for name, s in took.items()}
    return ladder | above | tails.estimates(rows) | seconds


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    figure, (left, right) = panels(["the next point", "each later epoch by itself"], (8.8, 3.8))
    draw_ladder(left, rows["rows"], found)
    tails.draw_lost(right, rows["tails"])
    return {"ladder": figure}


def draw_ladder(axis: Axes, rows: pd.DataFrame, found: Estimates) -> None:
    """Without the uniform model, which is far to the left. A lone seed has no error bar."""
    means = rows.groupby("model")["ll"].mean()
    names = [name for name in LADDER if name in means and name != UNIFORM]
    for place, name in enumerate(names):
        one = found.get(name, Interval(*[means[name]] * 3))
        dots(axis, [(place, one)], fmt="o", color=style.colour(LADDER[name]), capsize=3)
        axis.annotate(f"{means[name]:.2f}", (means[name], place), (0, 5), textcoords="offset points", fontsize=8.5,
                      ha="center")  # fmt: skip
    axis.set_yticks(range(len(names)), names)
    axis.set_xlabel("nats per point (right is better)")


def tabulate(rows: Rows, found: Estimates) -> Rows:
    lines = []
    for name in (one for one in LADDER if one in set(rows["rows"]["model"])):
        own = where(rows["rows"], model=name)
        first, mean = own.iloc[0], own.mean(numeric_only=True)
        lines.append({
            "model": f"{first['order']:.0f}-gram, discount {first['discount']:g}" if name == COUNTS else name,
            "curves": f"{first['curves']:,.0f}",
            "seconds": in_cell(found.get(("models", "seconds", name)), ".0f", ""),
            "nats per point": in_cell(found.get(name), ".3f", f"{mean['ll']:.3f}"),
            "bits per word": f"{mean['bits']:.2f}", "perplexity": f"{2 ** mean['bits']:.1f}",
        })  # fmt: skip
    return {"models": pd.DataFrame(lines)} if lines else {}


def claims() -> list[Claim]:
    steps = (
        ("window_beats_counts", "feed-forward", COUNTS, "Does a feed-forward language model score higher than n-grams?"),
        ("lstm_beats_window", "LSTM", "feed-forward", "Does an LSTM score higher than a feed-forward language model?"),
        ("transformer_beats_lstm", "transformer", "LSTM", "Does a transformer language model score higher than an LSTM?"),
    )  # fmt: skip
    return [
        *(Claim(name, asks, (one, other), Above(0), NATS) for name, one, other, asks in steps),
        Claim("tied_costs_nothing", "Do tied ends cost a transformer language model at most a hundredth of a nat?",
              (TIED, "transformer"), AtLeast(-0.01), NATS),
        Claim("next_point_like_pfn", "Does the LSTM foresee the next point at least as well as the PFN?",
              ("LSTM", PFN), AtLeast(0), NATS),
        *tails.claims(),
    ]  # fmt: skip
