"""Do codes find the shape of a family of curves, and can a network guess a sparse code?

A family with three known parameters, c - a x^-alpha. How fast does the Jacobian of a contractive code fall, and do the
directions in which a bent code of three numbers moves a curve lie where the parameters move it? Then, on curves of the
paper's prior: how many steps does ISTA take to a sparse code, from zero and from the guess of an encoder?
"""

from dataclasses import dataclass
from typing import Any

import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.decomposition import sparse_encode
from torch import Tensor

from curvecast.curves import prior
from curvecast.latent.autoencoder import AutoencoderConfig, Contractive, spectrum, tangents
from curvecast.latent.fit import Steps, fit, largest_angle, principal
from curvecast.latent.sparse import SparseConfig, cost, steps_needed
from presswork import Above, Below, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import by_mean
from reproduce.latent_curves._curves import batches, training_curves
from reproduce.pictures.panels import mean_lines, panels, ticks
from reproduce.protocols.timing import threads

PARAMETERS = 3
PENALTIES = {"no penalty": "last", "penalty": "ours"}  # and their colours
CODES = {"linear": (0, "exact"), "bent": (64, "ours")}  # widths of the hidden layers
STARTS = {"zero": "last", "the encoder’s guess": "ours"}


@dataclass(frozen=True)
class Config:
    seeds: int = 3
    curves: int = 8_000
    held_out: int = 100
    steps: int = 1_200
    units: int = 20  # of the contractive code
    weight: float = 0.003  # of its penalty
    sparse: SparseConfig = SparseConfig(penalty=0.1)
    goal: float = 0.01  # cost above the least possible, as a share of it
    most: int = 3_000  # steps of ISTA


SCALES = {
    "smoke": Config(2, 300, 8, 6, sparse=SparseConfig(8, penalty=0.1, width=8), most=60),
    "laptop": Config(2, 4_000, 40, 700),
    "paper": Config(),
}
TABLES = {
    "spectrum": ("seed", "penalty", "place", "value"),  # shares of the largest, means over curves
    "angles": ("seed", "code", "degrees"),  # medians over curves
    "sparse": ("seed", "start", "steps", "used"),  # means over curves; share of atoms used at the optimum
}
TOLERANCES = {
    "angles.degrees": (0.05, "codes of networks that were trained for a moment part ways between processors"),
    "sparse.steps": (0.05, "a curve near the goal may take a step more on another processor"),
    "sparse.used": (0.05, "a number near zero may vanish on another processor"),
}


def measure(config: Config) -> Rows:
    tables: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}
    with threads():
        for seed in range(config.seeds):
            for name, lines in (_shape(config, seed) | {"sparse": _sparse(config, seed)}).items():
                tables[name] += [{"seed": seed} | line for line in lines]
    return {name: pd.DataFrame(lines) for name, lines in tables.items()}


def family(p: Tensor) -> Tensor:
    """c - a x^-alpha at epochs 1 to 100, of c, a, ln alpha.  (n, 3) -> (n, 100)"""
    x = torch.arange(1.0, 101)
    return p[:, :1] - p[:, 1:2] * x ** -p[:, 2:].exp()


def drawn(n: int, chance: torch.Generator) -> Tensor:
    low, width = torch.tensor([0.6, 0.2, -1.2]), torch.tensor([0.3, 0.3, 1.4])
    return low + width * torch.rand(n, PARAMETERS, generator=chance)


def _shape(config: Config, seed: int) -> dict[str, list[dict[str, Any]]]:
    chance = torch.Generator().manual_seed(seed)
    x, p = family(drawn(config.curves, chance)), drawn(config.held_out, chance)
    y, scale, basis = family(p), float((x - x.mean(0)).square().mean().sqrt()), principal(x, 8)
    spectra, angles = [], []
    for name in PENALTIES:
        torch.manual_seed(seed)
        net = Contractive(x.mean(0), config.units, config.weight * (name == "penalty"), scale)
        fit(net, batches(x, x, seed), Steps(config.steps, 2e-2))
        values = spectrum(net.encode, y).mean(0)[:8]
        places = enumerate(values / values[0], 1)
        spectra += [{"penalty": name, "place": place, "value": float(value)} for place, value in places]
    for name, (width, _) in CODES.items():
        torch.manual_seed(seed)
        code = AutoencoderConfig(PARAMETERS, width).network(basis)
        fit(code, batches(x, x, seed), Steps(config.steps))
        degrees = largest_angle(tangents(family, p), tangents(code.decode, code.encode(y).detach()))
        angles.append({"code": name, "degrees": float(degrees.median())})
    return {"spectrum": spectra, "angles": angles}


@torch.no_grad()
def _sparse(config: Config, seed: int) -> list[dict[str, Any]]:
    x, y = training_curves(config.curves, seed).clean, prior.second_test_set(config.held_out).clean
    torch.manual_seed(seed)
    net = config.sparse.network(x.mean(0))
    with torch.enable_grad():
        fit(net, batches(x, x, seed, 128), Steps(config.steps, 3e-3))
    atoms, off, guess = net.atoms.double(), (y - net.mean).double(), net.encode(y).double()
    best = torch.from_numpy(sparse_encode(off.numpy(), atoms.numpy(), algorithm="lasso_cd", alpha=config.sparse.penalty,
                                          max_iter=20_000))  # fmt: skip
    least, used = cost(off, best, atoms, config.sparse.penalty), float((best != 0).double().mean())
    lines = []
    for name, start in zip(STARTS, (torch.zeros_like(guess), guess), strict=True):
        needed = steps_needed(off, atoms, config.sparse.penalty, start, least, config.goal, config.most)
        lines.append({"start": name, "steps": float(needed.double().mean()), "used": used})
    return lines


def estimates(rows: Rows) -> Estimates:
    """{code: degrees}, and the others by the names of their claims; over seeds, which draw curves and first weights."""
    values = rows["spectrum"].pivot(index="seed", columns=["penalty", "place"], values="value")
    fall = values["penalty", PARAMETERS + 1] / values["penalty", PARAMETERS]
    steps = rows["sparse"].pivot(index="seed", columns="start", values="steps")
    zero, guess = (steps[name] for name in STARTS)
    saved = {"contracted": Interval.of_mean(fall), "guess_saves_steps": Interval.of_mean(zero / guess)}
    return by_mean(rows["angles"], "code", "degrees") | there(saved)


def draw(rows: Rows) -> dict[str, Figure]:
    titles = ["Jacobian of a contractive code", "tangents against parameters", "sparse code by ISTA"]
    figure, (left, middle, right) = panels(titles, (8.8, 3.3))
    mean_lines(left, rows["spectrum"], "place", "value", "penalty", PENALTIES, "o-", markersize=4)
    left.axvline(PARAMETERS + 0.5, color=style.ink(), linestyle=":", linewidth=1)
    left.set(yscale="log", xlabel="singular value", ylabel="share of the largest", xticks=range(1, 9))
    left.legend()
    for place, (name, (_, colour)) in enumerate(CODES.items()):
        _seeds(middle, place, where(rows["angles"], code=name)["degrees"], colour)
    for place, (name, colour) in enumerate(STARTS.items()):
        _seeds(right, place, where(rows["sparse"], start=name)["steps"], colour)
    two: dict[str, Any] = {"xticks": range(2), "xlim": (-0.5, 1.5)}
    middle.set(**two, xticklabels=[f"{name} code" for name in CODES], ylabel="angle (degrees)")
    middle.set_ylim(0)
    right.set(**two, xticklabels=["from zero", "from a guess"], yscale="log")
    right.set_ylabel("steps to 1 % of the optimum")
    ticks(right, (20, 50, 100, 200, 500, 1000), "g", "y")
    return {"shapes": figure}


def _seeds(axis: Axes, place: int, values: pd.Series, colour: str) -> None:
    axis.plot([place] * len(values), values, "o", color=style.colour(colour))


def claims() -> list[Claim]:
    return [
        Claim("contracted", "With a penalty, does the Jacobian of a code fall steeply after three values?",
              "contracted", Below(0.1), "×"),
        Claim("tangents", "Do the tangents of a bent code lie where the parameters move a curve?",
              "bent", Below(10), "°"),
        Claim("guess_saves_steps", "Does ISTA need fewer steps from the encoder’s guess than from zero?",
              "guess_saves_steps", Above(1), "×"),
    ]  # fmt: skip
