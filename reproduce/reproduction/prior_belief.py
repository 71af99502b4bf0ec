"""What does the prior believe about learning curves?"""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves.prior import BASIS, PriorConfig, sample
from reproduce._press.claim import Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.style import colour, faint
from reproduce.pictures.panels import panels

TABLES = {
    "rows": ("epoch", "mean", "sd", "n", "q05", "q25", "q50", "q75", "q95"),
    "facts": ("fact", "value", "se"),
    "curves": ("family", "curve", "epoch", "clean"),
}
EPOCHS = (1, 2, 5, 10, 20, 50, 100)
FORMULA = {
    "pow3": "$c - a\\,t^{-\\alpha}$",
    "ilog2": "$c - a/\\ln(t+1)$",
    "janoschek": "$A-(A-B)e^{-kt^\\delta}$",
}
NAMES = {  # of families and facts, as readers see them
    "janoschek": "Janoschek",
    "of the rise come in the first ten epochs (median)": "share of the rise in the first ten epochs (median)",
    "mean of ln sigma": "mean of ln σ",
    "sd of ln sigma": "standard deviation of ln σ",
}


@dataclass(frozen=True)
class Config:
    seed: int = 1
    curves: int = 200_000  # for the moments: the standard error of a mean is then 0.0005
    drawn: int = 30  # curves in each panel
    prior: PriorConfig = PriorConfig()


SCALES = {"smoke": Config(curves=5000, drawn=5), "laptop": Config(), "paper": Config(curves=2_000_000)}


def measure(config: Config, part: str) -> dict[str, pd.DataFrame]:
    generator = torch.Generator().manual_seed(config.seed)
    curves = sample(config.prior, config.curves, generator)
    f = curves.clean.double()
    return {
        "rows": pd.DataFrame([_moments(t, f[:, t - 1]) for t in EPOCHS]),
        "facts": pd.DataFrame(_facts(curves.clean, curves.noisy, curves.sigma)),
        "curves": pd.concat(
            [_examples(name, config, generator) for name in (*config.prior.curves, "mixture")]
        ),
    }


def _moments(epoch: int, f: torch.Tensor) -> dict[str, float]:
    levels = {f"q{100 * p:02.0f}": f.quantile(p).item() for p in (0.05, 0.25, 0.5, 0.75, 0.95)}
    return {"epoch": epoch, "mean": f.mean().item(), "sd": f.std().item(), "n": len(f)} | levels


def _facts(clean: torch.Tensor, noisy: torch.Tensor, sigma: torch.Tensor) -> list[dict[str, object]]:
    steps = clean.diff(dim=1)
    shares = {
        "curves that never fall": (steps >= 0).all(1),
        "curves with a step down of more than 0.01": (steps < -0.01).any(1),
        "curves with their maximum at the last epoch": clean.argmax(1) == clean.shape[1] - 1,
        "curves with a noisy point outside [0, 1]": ((noisy < 0) | (noisy > 1)).any(1),
    }
    n = len(sigma)
    facts = [(fact, v.double().mean().item(), v.double().std().item() / n**0.5) for fact, v in shares.items()]
    rise = ((clean[:, 9] - clean[:, 0]) / (clean[:, -1] - clean[:, 0])).double()
    # one standard error of a median lies between these ranks
    middle = 0.5 + 0.5 / n**0.5 * torch.tensor([-1, 0, 1])
    low, median, high = rise.quantile(middle.double()).tolist()
    facts.append(("of the rise come in the first ten epochs (median)", median, (high - low) / 2))
    log_sigma = sigma.double().log()
    sd = log_sigma.std().item()
    facts.append(("mean of ln sigma", log_sigma.mean().item(), sd / n**0.5))
    facts.append(("sd of ln sigma", sd, sd / (2 * n) ** 0.5))
    return [{"fact": fact, "value": value, "se": se} for fact, value, se in facts]


def _examples(name: str, config: Config, generator: torch.Generator) -> pd.DataFrame:
    prior = config.prior if name == "mixture" else replace(config.prior, curves=(name,))
    clean = sample(prior, config.drawn, generator).clean.numpy()
    epoch = np.arange(1, prior.length + 1)
    keep = np.unique(np.round(np.geomspace(1, prior.length, 40)).astype(int)) - 1  # enough to draw
    frames = [
        pd.DataFrame({"family": name, "curve": i, "epoch": epoch[keep], "clean": y[keep]})
        for i, y in enumerate(clean)
    ]
    return pd.concat(frames)


def draw(rows: dict[str, pd.DataFrame]) -> dict[str, Figure]:
    families = [*[name for name in BASIS if name in set(rows["curves"]["family"])], "mixture"]
    titles = [
        f"{NAMES.get(family, family)}\n{FORMULA.get(family, 'weighted sum of the three')}"
        for family in families
    ]
    figure, axes = panels(titles, (9, 2.9), sharey=True)
    for axis, family in zip(axes, families, strict=True):
        mine = rows["curves"][rows["curves"]["family"] == family]
        for i, (_, curve) in enumerate(mine.groupby("curve")):
            strong = i < 6
            axis.plot(curve["epoch"], curve["clean"], color=colour("ours") if strong else faint(),
                      linewidth=1.5 if strong else 0.8, zorder=2 if strong else 1)  # fmt: skip
        axis.set(ylim=(0, 1), xlim=(1, 100), xlabel="epoch")
    axes[0].set_ylabel("noise-free curve $f$")
    return {"samples": figure}


def tabulate(rows: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    moments = rows["rows"]
    columns = {
        "mean": "mean f",
        "sd": "sd f",
        "q05": "5 %",
        "q25": "25 %",
        "q50": "median",
        "q75": "75 %",
        "q95": "95 %",
    }
    table = pd.DataFrame({"epoch": moments["epoch"].astype(str)})
    for key, title in columns.items():
        table[title] = [f"{v:.3f}" for v in moments[key]]
    facts = rows["facts"]
    cells = [f"{v:.1%}".replace("%", " %") if not str(f).startswith(("mean", "sd")) else f"{v:.3f}"
             for f, v in zip(facts["fact"], facts["value"], strict=True)]  # fmt: skip
    return {"moments": table, "facts": pd.DataFrame({"fact": facts["fact"].replace(NAMES), "value": cells})}


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    facts = rows["facts"].set_index("fact")

    def about(fact: str) -> Interval:
        return Interval.with_error(facts.loc[fact, "value"], facts.loc[fact, "se"])

    return [
        Claim("monotone", "Counted without noise, do about half of the curves of the paper’s prior never fall?",
              about("curves that never fall"), Between(0.49, 0.54), "%"),
        Claim("noise", "Does ln σ in our prior have the spread of the authors’ code and not that which the paper prints?",
              about("sd of ln sigma"), Between(0.98, 1.02)),
    ]  # fmt: skip
