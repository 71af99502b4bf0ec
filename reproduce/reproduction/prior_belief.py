"""What does the prior believe about learning curves?"""

from dataclasses import dataclass

import pandas as pd
import torch

from curvecast.curves.prior import PriorConfig, sample
from presswork import Between, Claim, Estimates, Rows
from presswork.estimates import with_errors

TABLES = {"facts": ("fact", "value", "se")}
NAMES = {  # of facts, as readers see them
    "of the rise come in the first ten epochs (median)": "share of the rise in the first ten epochs (median)",
    "mean of ln sigma": "mean of ln σ",
    "sd of ln sigma": "standard deviation of ln σ",
}


@dataclass(frozen=True)
class Config:
    seed: int = 1
    curves: int = 200_000
    prior: PriorConfig = PriorConfig()


SCALES = {"smoke": Config(curves=5000), "laptop": Config(), "paper": Config(curves=2_000_000)}


def measure(config: Config) -> Rows:
    generator = torch.Generator().manual_seed(config.seed)
    clean, noisy, sigma = sample(config.prior, config.curves, generator)
    steps = clean.diff(dim=1)
    shares = {
        "curves that never fall": (steps >= 0).all(1),
        "curves with a step down of more than 0.01": (steps < -0.01).any(1),
        "curves with their maximum at the last epoch": clean.argmax(1) == clean.shape[1] - 1,
        "curves with a noisy point outside [0, 1]": ((noisy < 0) | (noisy > 1)).any(1),
    }
    n = config.curves
    facts = [(fact, v.double().mean().item(), v.double().std().item() / n**0.5) for fact, v in shares.items()]
    rise = ((clean[:, 9] - clean[:, 0]) / (clean[:, -1] - clean[:, 0])).double()
    # one standard error of a median lies between these ranks
    middle = 0.5 + 0.5 / n**0.5 * torch.tensor([-1, 0, 1])
    low, median, high = rise.quantile(middle.double()).tolist()
    facts.append(("of the rise come in the first ten epochs (median)", median, (high - low) / 2))
    log_sigma = sigma.double().log()
    mean, sd = log_sigma.mean().item(), log_sigma.std().item()
    facts += [("mean of ln sigma", mean, sd / n**0.5), ("sd of ln sigma", sd, sd / (2 * n) ** 0.5)]
    return {"facts": pd.DataFrame(facts, columns=["fact", "value", "se"])}


def estimates(rows: Rows, config: Config) -> Estimates:
    """{fact: share or value}"""
    return with_errors(rows["facts"].assign(n=config.curves), "fact", "value", "se")


def tabulate(rows: Rows) -> Rows:
    facts = rows["facts"]
    cells = [f"{v:.1%}".replace("%", " %") if not str(f).startswith(("mean", "sd")) else f"{v:.3f}"
             for f, v in zip(facts["fact"], facts["value"], strict=True)]  # fmt: skip
    return {"facts": pd.DataFrame({"fact": facts["fact"].replace(NAMES), "value": cells})}


def claims() -> list[Claim]:
    return [
        Claim("monotone", "Counted without noise, do about half of the curves of the paper’s prior never fall?",
              "curves that never fall", Between(0.49, 0.54), "%"),
        Claim("noise", "Does ln σ in our prior have the spread of the authors’ code and not that which the paper prints?",
              "sd of ln sigma", Between(0.98, 1.02)),
    ]  # fmt: skip
