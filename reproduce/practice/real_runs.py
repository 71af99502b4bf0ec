"""What do real runs look like to the network that ships?"""

import warnings
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting.api import forecast
from curvecast.forecasting.forecast import RARE
from reproduce._press import style
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval

Rows = dict[str, pd.DataFrame]


@dataclass(frozen=True)
class Config:
    epochs: int = 100
    seen: int = 15  # epochs, of which the network is shown the values
    prior_runs: int = 6  # of THE test set, the first ones whose values lie between 0 and 1
    rates: tuple[float, ...] = (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1)
    sizes: tuple[int, ...] = (8, 64)  # hidden units
    train: int = 400  # of the 1,797 digits that scikit-learn brings
    seed: int = 0


SCALES = {"smoke": Config(epochs=20, seen=5, prior_runs=2, rates=(0.001, 0.01), sizes=(8,)), "laptop": Config(),
          "paper": Config(rates=(0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3), sizes=(4, 8, 16, 64, 256))}  # fmt: skip


def measure(config: Config, part: str) -> Rows:
    """`rows`: every run, epoch by epoch. `ahead`: of each real run the forecast after `seen` epochs."""
    real = _digits(config)
    rows = pd.concat([_prior(config), real], ignore_index=True)
    frames = []
    for metric, own in real.groupby("metric"):
        wide = own.pivot(index="run", columns="epoch", values="value")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # in_prior is a column of its own
            told = forecast(
                wide.to_numpy()[:, : config.seen],
                horizon=config.epochs,
                metric=str(metric),
                names=list(wide.index),
            )
        for run, values in zip(told, wide.to_numpy()[:, config.seen :], strict=True):
            low, high = run.interval(0.9)
            frames.append(pd.DataFrame({
                "run": run.name, "metric": metric, "epoch": run.steps.astype(int), "value": values, "median": run.median,
                "low": low, "high": high, "last": run.observed[-1], "in_prior": run.in_prior,
            }))  # fmt: skip
    return {"rows": rows.round(5), "ahead": pd.concat(frames, ignore_index=True).round(5)}


def _prior(config: Config) -> pd.DataFrame:
    noisy = prior.test_set().noisy[:, : config.epochs]
    inside = noisy[((noisy >= 0) & (noisy <= 1)).all(1)][: config.prior_runs]
    frames = [
        pd.DataFrame({"kind": "prior", "run": f"prior {i + 1}", "metric": "accuracy", "epoch": range(1, config.epochs + 1),
                      "value": y.numpy(), "about": "a curve of the prior, which the network has not seen"})
        for i, y in enumerate(inside)
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _digits(config: Config) -> pd.DataFrame:
    """Networks of one hidden layer on the small digits: accuracy and loss on held-out ones after each epoch."""
    from sklearn.datasets import load_digits
    from sklearn.neural_network import MLPClassifier

    images, digits = load_digits(return_X_y=True)
    order = np.random.default_rng(config.seed).permutation(len(digits))
    images, digits = images[order] / 16, digits[order]
    seen, hidden = slice(0, config.train), slice(config.train, None)
    rows = []
    for size in config.sizes:
        for rate in config.rates:
            net = MLPClassifier((size,), learning_rate_init=rate, batch_size=50, random_state=config.seed)
            name = f"{size} units, rate {rate:g}"
            for epoch in range(1, config.epochs + 1):
                net.partial_fit(images[seen], digits[seen], classes=range(10))
                chances = net.predict_proba(images[hidden])
                right = float((chances.argmax(1) == digits[hidden]).mean())
                of_the_right = chances[np.arange(len(chances)), digits[hidden]]
                loss = float(-np.log(of_the_right.clip(1e-7)).mean())
                rows += [("accuracy", name, epoch, right), ("loss", name, epoch, loss)]
    frame = pd.DataFrame(rows, columns=["metric", "run", "epoch", "value"])
    frame["about"] = "a network of one hidden layer on scikit-learn’s small digits, on held-out ones"
    return frame.assign(kind="real", run=frame["run"] + ", " + frame["metric"])


def draw(rows: Rows) -> dict[str, Figure]:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    for ax, metric in zip(axes, ("accuracy", "loss"), strict=True):
        real = rows["rows"][(rows["rows"]["kind"] == "real") & (rows["rows"]["metric"] == metric)]
        for _, own in real.groupby("run"):
            ax.plot(own["epoch"], own["value"], color=style.ink(), linewidth=0.8, alpha=0.6)
        for _, own in rows["ahead"][rows["ahead"]["metric"] == metric].groupby("run"):
            ax.fill_between(
                own["epoch"], own["low"], own["high"], color=style.colour("ours"), alpha=0.15, linewidth=0
            )
            ax.plot(own["epoch"], own["median"], color=style.colour("ours"), linewidth=1)
        ax.set_xlabel("epoch")
        ax.set_title(f"held-out {metric}")
    axes[1].set_yscale("log")
    axes[1].set_ylim(bottom=0.02)  # bands reach 0, which such an axis has not
    return {"runs": figure}


def _per_run(ahead: pd.DataFrame) -> pd.DataFrame:
    ahead = ahead.assign(
        held=((ahead["value"] >= ahead["low"]) & (ahead["value"] <= ahead["high"])).astype(float),
        ours=(ahead["value"] - ahead["median"]).abs(), last_value=(ahead["value"] - ahead["last"]).abs(),
    )  # fmt: skip
    return ahead.groupby(["metric", "run"])[["held", "ours", "last_value", "in_prior"]].mean().reset_index()


def tabulate(rows: Rows) -> Rows:
    each, cells = _per_run(rows["ahead"]), []
    for metric, own in each.groupby("metric"):
        cells.append({
            "metric": metric, "runs": f"{len(own)}", "inside the 90 % band": f"{own['held'].mean():.0%}",
            "error of the median": f"{own['ours'].mean():.3f}", "error of the last value": f"{own['last_value'].mean():.3f}",
            "warned of": f"{(own['in_prior'] < RARE).sum()}",
        })  # fmt: skip
    return {"runs": pd.DataFrame(cells)}


def claims(rows: Rows) -> list[Claim]:
    each = _per_run(rows["ahead"])
    accuracy = each[each["metric"] == "accuracy"]
    return [
        claim("band_holds", "On these real accuracies the 90 % band holds {value:.0%} of what came.",
              Interval.of_mean(accuracy["held"]), ">= 0.8"),
        claim("beats_last", "There the median is {value:.3f} nearer to what came than the last value.",
              Interval.of_mean(accuracy["last_value"] - accuracy["ours"]), "> 0"),
    ]  # fmt: skip
