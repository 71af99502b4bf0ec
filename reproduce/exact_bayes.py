"""How much does a network lose to the exact posterior that it imitates?"""

import time
from dataclasses import dataclass, field

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast import evaluate, exact, metrics, prior
from curvecast.cloud import Cloud
from curvecast.exact import JudgeConfig
from curvecast.train import TrainConfig, trained
from reproduce import _style
from reproduce._contract import Claim
from reproduce._models import LARGE, SMALL, TINY

STYLE = {"1x64": "small", "2x96": "medium", "3x128": "large", "ours": "ours", "P1": "paper"}


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: SMALL)
    best: str = "3x128"  # of them: the claims speak of it
    curves: int = 100  # of THE test set, the first ones
    at_once: int = 10
    cutoffs: tuple[int, ...] = (5, 10, 20, 40)
    judge: JudgeConfig = JudgeConfig(steps=160)
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY, "1x16", 4, 2, (10,), JudgeConfig(bank=4000, population=32, moves=2, steps=8, keep=2)
    ),
    "laptop": Config(),
    "paper": Config(
        LARGE, "ours", 1000, cutoffs=(5, 10, 20, 40, 70, 80), judge=JudgeConfig(bank=2_000_000, steps=400)
    ),
}


def models(config: Config) -> list[TrainConfig]:
    return list(config.models.values())


def parts(config: Config) -> list[str]:
    return [f"cutoff{cutoff}" for cutoff in config.cutoffs]


def measure(config: Config, part: str) -> pd.DataFrame:
    """A row for each curve: log-likelihoods of the judge and of the networks, and how well the judge did its work."""
    cutoff = int(part.removeprefix("cutoff"))
    generator = torch.Generator().manual_seed(config.seed)
    prior_config = prior.PriorConfig()
    bank = exact.bank(prior_config, config.judge.bank, generator)
    y = prior.test_set(config.curves).noisy
    frames = []
    for some in y.split(config.at_once):
        start = time.perf_counter()
        verdict = exact.judge(prior_config, some[:, :cutoff], bank, generator, config.judge)
        seconds = (time.perf_counter() - start) / len(some)
        later = Cloud(verdict.cloud.f[..., cutoff:], verdict.cloud.sigma[..., 0])
        place = later.cdf(some[:, cutoff:])
        columns = {
            "exact": later.log_density(some[:, cutoff:]).mean(1),
            "cover90": ((place > 0.05) & (place < 0.95)).float().mean(1),
            "ess_bank": verdict.ess_bank, "rises": verdict.temperatures,
            "accepted": verdict.accepted, "ess": verdict.ess,
        }  # fmt: skip
        frames.append(
            pd.DataFrame({name: values.tolist() for name, values in columns.items()}).assign(seconds=seconds)
        )
    rows = pd.concat(frames, ignore_index=True)
    for name, train in config.models.items():
        rows[name] = evaluate.likelihood(trained(train), y, cutoff).tolist()
    return rows.assign(cutoff=cutoff, curve=range(len(y))).round(5)


def lost(rows: pd.DataFrame, name: str) -> metrics.Estimate:
    """Nats per point below the judge, paired by curve."""
    return metrics.paired(torch.tensor(rows["exact"].to_numpy()), torch.tensor(rows[name].to_numpy()))


def draw(rows: pd.DataFrame, config: Config) -> dict[str, Figure]:
    figure, axis = plt.subplots(figsize=(7, 3.4))
    for number, name in enumerate(config.models):
        found = [(cutoff, lost(mine, name)) for cutoff, mine in rows.groupby("cutoff")]
        x = [cutoff * 1.04 ** (number - 1) for cutoff, _ in found]  # side by side
        style = _style.line(STYLE.get(name, "ours")) | {"label": name.replace("x", " × ")}
        error = [1.96 * estimate.se for _, estimate in found]
        axis.errorbar(
            x, [estimate.value for _, estimate in found], yerr=error, marker="o", markersize=4, **style
        )
    axis.axhline(0, color=_style.colour("exact"), linewidth=1.5)
    axis.annotate(_style.name("exact"), (1, 0), xycoords=("axes fraction", "data"), xytext=(-2, -12),
                  textcoords="offset points", ha="right", color=_style.colour("exact"))  # fmt: skip
    cutoffs = sorted(rows["cutoff"].unique())
    axis.set(xscale="log", xlabel="epochs seen, of 100", ylabel="nats per point lost")
    axis.set_xticks(cutoffs, [str(c) for c in cutoffs])
    axis.minorticks_off()
    axis.legend()
    return {"lost": figure}


def tabulate(rows: pd.DataFrame, config: Config) -> dict[str, pd.DataFrame]:
    by_cutoff = list(rows.groupby("cutoff"))
    title = "log-likelihood, nats per point"
    exactly = {c: metrics.estimate(torch.tensor(mine["exact"].to_numpy())) for c, mine in by_cutoff}
    table = [
        {title: _style.name("exact")} | {f"{c} %": "{:.3f} ± {:.3f}".format(*e) for c, e in exactly.items()}
    ]
    for name in config.models:
        cells = {f"{c} %": "{:.3f} ± {:.3f}".format(*lost(mine, name)) for c, mine in by_cutoff}
        table.append({title: f"{name.replace('x', ' × ')} loses"} | cells)
    work = [
        {
            "seen": str(cutoff), "bank, low": f"{mine['ess_bank'].quantile(0.1):,.0f}",
            "bank": f"{mine['ess_bank'].median():,.0f}", "rises": f"{mine['rises'].mean():.1f}",
            "taken": f"{mine['accepted'].mean():.0%}".replace("%", " %"),
            "a chain, low": f"{mine['ess'].quantile(0.1) / config.judge.population:.1f}",
            "in 90 %": f"{mine['cover90'].mean():.3f}", "seconds": f"{mine['seconds'].mean():.2f}",
        }
        for cutoff, mine in by_cutoff
    ]  # fmt: skip
    return {"lost": pd.DataFrame(table), "judge": pd.DataFrame(work)}


def claims(rows: pd.DataFrame, config: Config) -> list[Claim]:
    stated = []
    for cutoff in config.cutoffs:
        mine = rows[rows["cutoff"] == cutoff]
        value = low = high = None
        if len(mine) > 1:
            value, low, high = (gap := lost(mine, config.best)).value, gap.low, gap.high
        after = f"After {cutoff} epochs the {config.best.replace('x', ' × ')} network"
        sentence = after + " loses {value:.3f} nats a point to the exact posterior."
        stated.append(Claim(f"loses_little_at_{cutoff}", sentence, value, low, high, "<= 0.15"))
    points = metrics.estimate(torch.tensor(rows["cover90"].to_numpy()))
    stated.append(Claim(
        "judge_is_calibrated", "The judge's band of 90 % holds {value:.1%} of the hidden points.",
        points.value, points.value - 1.96 * points.se, points.value + 1.96 * points.se, "between 0.87 and 0.93",
    ))  # fmt: skip
    return stated
