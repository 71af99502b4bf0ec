"""How well does the released model forecast real runs?"""

import json
import warnings
from dataclasses import dataclass

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting.api import forecast
from curvecast.forecasting.doubts import RARE
from reproduce._press import style
from reproduce._press.claim import Above, Between, Claim
from reproduce._press.estimates import Estimates, by_mean
from reproduce._press.where import Rows
from reproduce.pictures.bands import bands

WORDS = {"constant": "at a constant rate", "cosine": "with a cosine", "linear": "with a rate that falls to nothing",
         "drops": "with drops of the rate"}  # fmt: skip


SHAKEN = "some networks of own_curves diverge, and differ between chips"


@dataclass(frozen=True)
class Config:
    epochs: int = 100
    seen: int = 15  # epochs that are observed
    prior_runs: int = 4  # of the paper's prior: THE test set's first ones with values between 0 and 1
    of_a_schedule: int = 3  # networks of our own runs, the first ones of each task in turn


SCALES = {"smoke": Config(20, 5, 2, 2), "laptop": Config(), "paper": Config(of_a_schedule=6)}
TABLES = {
    "rows": ("kind", "run", "metric", "epoch", "value", "about"),
    "ahead": ("run", "metric", "epoch", "value", "median", "low", "high", "last", "in_prior"),
}
TOLERANCES = {
    f"ahead.{column}": (0.05, SHAKEN) for column in ("value", "median", "low", "high", "last", "in_prior")
} | {"rows.value": (0.05, SHAKEN)}


def reads(config: Config) -> list[str]:
    return ["own_curves"]


def measure(config: Config, part: str, read: dict[str, Rows]) -> Rows:
    """`rows`: every run, epoch by epoch. `ahead`: of each real run the forecast after `seen` epochs."""
    real = _real(config, read["own_curves"])
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


def _real(config: Config, own: Rows) -> pd.DataFrame:
    """Networks of our own runs: held-out accuracy and loss after each epoch, true to their ends."""
    points = own["rows"][own["rows"]["step"].between(1, config.epochs)]
    frames = []
    for run in _chosen(own["runs"], config.of_a_schedule).to_dict("records"):
        for metric in ("accuracy", "loss"):
            values = points[points["run"] == run["run"]].set_index("step")[metric]
            frames.append(pd.DataFrame({
                "kind": "real", "run": f"{run['task']}, {run['run'].removeprefix('networks-')}, {metric}", "metric": metric,
                "epoch": values.index, "value": values.to_numpy(), "about": _about(run),
            }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def _chosen(runs: pd.DataFrame, of_a_schedule: int) -> pd.DataFrame:
    """Of each kind of schedule the first network of as many tasks as are wanted, and never two seeds of one setting."""
    networks = runs[runs["learner"] == "networks"].drop_duplicates("group")
    networks = networks.assign(shape=[json.loads(text)["schedule"]["shape"] for text in networks["settings"]])
    first = networks.drop_duplicates(["shape", "task"])
    return first.groupby("shape").head(of_a_schedule)


def _about(run: dict[str, str]) -> str:
    settings = json.loads(run["settings"])
    hidden = " and ".join(map(str, settings["hidden"]))
    dropout = f", dropout {settings['dropout']:.1f}" if settings["dropout"] else ""
    return (
        f"a network with {hidden} hidden units on {run['task']}, {WORDS[run['shape']]} of at most "
        f"{settings['rate']:.2g}{dropout}, on held-out rows"
    )


# ------------------------------------------------------------------------------------------------- estimates


def of_runs(ahead: pd.DataFrame) -> pd.DataFrame:
    """A line for each run, over its later epochs: coverage, and the error of the median and of the last value."""
    error, last = (ahead["value"] - ahead["median"]).abs(), (ahead["value"] - ahead["last"]).abs()
    held = ahead["value"].between(ahead["low"], ahead["high"]).astype(float)
    each = ahead.assign(held=held, ours=error, last_value=last, gain=last - error)
    columns = ["held", "ours", "last_value", "gain", "in_prior"]
    return each.groupby(["metric", "run"])[columns].mean().reset_index()


def coverage(each: pd.DataFrame) -> Estimates:
    """By metric: of the 90 % interval."""
    return {metric: found.of_share() for metric, found in by_mean(each, "metric", "held").items()}


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    figure, axes = plt.subplots(1, 2, figsize=(7, 3), layout="constrained")
    for ax, metric in zip(axes, ("accuracy", "loss"), strict=True):
        real = rows["rows"][(rows["rows"]["kind"] == "real") & (rows["rows"]["metric"] == metric)]
        for _, own in real.groupby("run"):
            ax.plot(own["epoch"], own["value"], color=style.ink(), linewidth=0.8, alpha=0.6)
        for _, own in rows["ahead"][rows["ahead"]["metric"] == metric].groupby("run"):
            bands(ax, own["epoch"], own, style.colour("ours"), {("low", "high"): 0.15})
            ax.plot(own["epoch"], own["median"], color=style.colour("ours"), linewidth=1)
        ax.set_xlabel("epoch")
        ax.set_title(f"held-out {metric} ({'higher' if metric == 'accuracy' else 'lower'} is better)")
    axes[1].set_yscale("log")
    axes[1].set_ylim(bottom=0.02)  # intervals reach 0, which is not on such an axis
    return {"runs": figure}


def tabulate(rows: Rows) -> Rows:
    each = of_runs(rows["ahead"])
    held, cells = coverage(each), []
    for metric, own in each[each["metric"].isin(held)].groupby("metric"):
        cells.append({
            "metric": metric, "runs": f"{len(own)}", "coverage, 90 % interval": f"{100 * held[metric].value:.0f} %",
            "error of the median": f"{own['ours'].mean():.3f}", "error of the last value": f"{own['last_value'].mean():.3f}",
            "runs with a warning": f"{(own['in_prior'] < RARE).sum()}",
        })  # fmt: skip
    return {"runs": pd.DataFrame(cells)}


def claims(rows: Rows) -> list[Claim]:
    each = of_runs(rows["ahead"])
    held, gain = coverage(each), by_mean(each, "metric", "gain")
    band = "does the 90 % interval of the released model have about the coverage it states?"
    lower = (
        "does the median of the released model have a lower mean absolute error than the last observed value?"
    )
    accuracies, losses = (f"On {what} of networks that we trained," for what in ("accuracies", "losses"))
    return [
        Claim("band_holds", f"{accuracies} {band}", held.get("accuracy"), Between(0.85, 0.95), "%"),
        Claim("beats_last", f"{accuracies} {lower}", gain.get("accuracy"), Above(0)),
        Claim("beats_last_on_losses", f"{losses} {lower}", gain.get("loss"), Above(0)),
    ]
