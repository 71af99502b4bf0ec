"""How good is the released model, which comes with the package, on whole runs and on runs with holes?"""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import outside_prior, prior
from curvecast.forecasting import doubts, shipped, torch_network, track_record
from curvecast.forecasting.doubts import RARE
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtLeast, Between, Claim, Estimates, Interval, Rows, style
from presswork.estimates import by_mean, grouped, minus, table, those_of
from reproduce.pictures.panels import ticks
from reproduce.protocols import asked
from reproduce.trainings import SMALL, TINY

SEEN = 20  # epochs, of which runs with holes have some
WHOLE = f"all {SEEN}"
HEADLESS = "without the first five"
HOLES = ("every second", "every fifth", "every tenth", "a random half", HEADLESS, "the last alone")
TITLES = {"shipped": "released model", "whole": "Minutes"}
LEAD, WARNED, PERCENT = "lead", "warned", "percent covered"
NATS = "nats per point"
KINDS = {"loss, not turned": "loss given as a score", "between 1 and 2": "values between 1 and 2"}  # as shown


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]  # to compare with: trained on whole beginnings alone
    curves: int = 1000  # of THE test set, the first ones
    holes: int = 500  # of them with holes
    odd: int = 200  # of them for the warning, and as many of each other kind
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)
    odd_cutoffs: tuple[int, ...] = (10, 20, 60, 90)
    seed: int = 0


SCALES = {
    "smoke": Config(TINY["1x16"], 8, 6, 3, (10, 20), (10,)),
    "laptop": Config(curves=160, holes=160, odd=80),
    "paper": Config(curves=500),
}
TABLES = {
    "rows": ("cutoff", "curve", "ll", "cover90", "case", "method"),
    "odd": ("kind", "cutoff", "curve", "in_prior"),
}

PARTS = ("whole", "holes", "odd")


def measure(config: Config, part: str) -> Rows:
    if part == "odd":
        return {"odd": _odd(config)}
    noisy = prior.test_set(config.curves).noisy
    networks = {"shipped": torch_network.load(shipped.PATH), "whole": trained(config.train)}
    frames = [
        (_whole(net, noisy, config.cutoffs) if part == "whole" else _holes(net, noisy[: config.holes], config.seed))
        .assign(method=name) for name, net in networks.items()
    ]  # fmt: skip
    return {"rows": pd.concat(frames).round(5)}


def _whole(net: Forecaster, noisy: torch.Tensor, cutoffs: tuple[int, ...]) -> pd.DataFrame:
    """For each curve the likelihood of all future points; for the first 500 the coverage as well."""
    frames = []
    for cutoff in cutoffs:
        ll = evaluate.likelihood(net, noisy, cutoff).numpy()
        held = evaluate.score(net, noisy[:500], None, cutoff)["cover90"].numpy()
        held = np.append(held, np.full(len(ll) - len(held), np.nan))
        frames.append(pd.DataFrame({"cutoff": cutoff, "curve": range(len(ll)), "ll": ll, "cover90": held}))
    return pd.concat(frames).assign(case="whole")


def _holes(net: Forecaster, noisy: torch.Tensor, seed: int) -> pd.DataFrame:
    frame = asked.gaps(net, noisy, SEEN, torch.Generator().manual_seed(seed))
    return frame[frame["case"].isin([WHOLE, *HOLES])].assign(cutoff=SEEN)


def _odd(config: Config) -> pd.DataFrame:
    """in_prior of curves of the prior (not those of its table), and of curves from outside the prior."""
    network = shipped.load()
    curves = prior.test_set(config.odd)
    generator, frames = torch.Generator().manual_seed(config.seed), []
    for name, kind in outside_prior.KINDS.items():
        y = kind.make(curves, generator)
        if kind.unit != 1:
            continue  # percent are refused before they get here
        for cutoff in config.odd_cutoffs:
            x = np.arange(1.0, cutoff + 1)
            runs = [(x, one[:cutoff].numpy()) for one in y]
            scores = doubts.oddness(track_record.scores(network.network, runs))
            share = [doubts.in_prior(network.table, cutoff, float(s)) for s in scores]
            about = {"kind": name, "cutoff": cutoff, "curve": range(len(y))}
            frames.append(pd.DataFrame(about | {"in_prior": share}))
    return pd.concat(frames).round(4)


def estimates(rows: Rows) -> Estimates:
    """{("ll", "cover90" or, in %, PERCENT, case, method, cutoff): score}, {(LEAD, case, cutoff): of the released model over
    Minutes, paired by curve}, {(WARNED, kind, cutoff): share of these curves that get a warning}"""
    each = rows["rows"].assign(**{PERCENT: 100 * rows["rows"]["cover90"]})
    by, odd = ["case", "method", "cutoff"], rows["odd"].set_index("curve")
    found = {score: by_mean(each, by, score) for score in ("ll", "cover90", PERCENT)} | {
        LEAD: grouped(each, ["case", "cutoff"], lambda own: Interval.of_mean(minus(own, "method", "shipped", "whole", "ll"))),
        WARNED: grouped(odd, ["kind", "cutoff"], lambda own: Interval.wilson((own["in_prior"] < RARE).astype(float))),
    }  # fmt: skip
    return {(what, *key): one for what, own in found.items() for key, one in own.items()}


def draw(found: Estimates) -> dict[str, Figure]:
    return {"holes": _holes_drawn(those_of(found, LEAD)), "odd": _warned_drawn(those_of(found, WARNED))}


def _holes_drawn(lead: Estimates) -> Figure:
    there = [case for case in (WHOLE, *HOLES) if (case, SEEN) in lead]
    figure, axis = plt.subplots(figsize=(7, 0.42 * len(there) + 0.9), layout="constrained")
    for place, case in enumerate(there):
        value, *ends = lead[case, SEEN]
        axis.plot(ends, [place, place], color=style.colour("ours"), linewidth=2)
        axis.plot(value, place, "o", color=style.colour("ours"))
    axis.axvline(0, color=style.faint(), linestyle=":")
    axis.set_yticks(range(len(there)), there)
    axis.invert_yaxis()
    axis.set_xscale("symlog", linthresh=0.1)  # a hundredth of a nat and eight
    ticks(axis, (-0.1, -0.05, 0, 0.05, 0.1, 1, 10), "g")
    axis.set_xlabel("lead over Minutes, nats per point (higher is better)")
    return figure


def _warned_drawn(share: Estimates) -> Figure:
    kinds = {kind: KINDS.get(kind, kind) for kind, _ in share}
    cutoffs = sorted({cutoff for _, cutoff in share})
    figure, axis = plt.subplots(figsize=(7, 0.34 * len(kinds) + 1.1), layout="constrained")
    for i, cutoff in enumerate(cutoffs):
        values = [share[kind, cutoff].value for kind in kinds]
        places = np.arange(len(kinds)) + 0.18 * (i - (len(cutoffs) - 1) / 2)
        shade: dict[str, Any] = {"color": style.colour("ours"), "alpha": 0.35 + 0.65 * (i + 1) / len(cutoffs)}
        axis.hlines(places, 0, values, linewidth=2.5, **shade)
        axis.plot(values, places, "o", markersize=3.5, label=f"{cutoff} epochs observed", **shade)
        axis.legend(frameon=False, loc="lower right")
    axis.axvline(RARE, color=style.faint(), linestyle=":")
    axis.set_yticks(range(len(kinds)), [*kinds.values()])
    axis.invert_yaxis()
    axis.set(xlabel="share of curves with a warning", xlim=(-0.01, 1.02))
    return figure


def tabulate(found: Estimates, config: Config) -> Rows:
    cases = {WHOLE: WHOLE} | {case: f"{case} of {SEEN}" for case in HOLES}
    likelihood = {("ll", "whole", method, ...): title for method, title in TITLES.items()}
    return {
        "likelihood": table(found, "epochs observed", config.cutoffs, {
            **likelihood, (PERCENT, "whole", "shipped", ...): ("coverage, 90 % interval", ".1f %"),
        }, ".3f"),
        "holes": table(found, "epochs observed", cases, {
            ("ll", ..., "shipped", SEEN): "released model", (PERCENT, ..., "shipped", SEEN): ("its coverage", ".1f %"),
            ("ll", ..., "whole", SEEN): "Minutes", (PERCENT, ..., "whole", SEEN): ("coverage, Minutes", ".1f %"),
        }, ".3f"),
    }  # fmt: skip


def claims() -> list[Claim]:
    other = "a network of the same size that was trained on whole runs of the paper’s prior"
    most = AtLeast(0.8)
    return [
        Claim("whole_runs", f"After twenty whole epochs, does the released model score nearly as high as {other}?",
              (LEAD, "whole", 20), Above(-0.02), NATS),
        Claim("fifth", f"With every fifth of twenty epochs logged, does the released model score higher than {other}?",
              (LEAD, "every fifth", SEEN), Above(0), NATS),
        Claim("honest", "After ten epochs, does the 90 % interval of the released model have about the coverage it states?",
              ("cover90", "whole", "shipped", 10), Between(0.87, 0.93), "%"),
        Claim("alarms", "After twenty epochs, does the released model seldom warn of curves of the paper’s prior?",
              (WARNED, outside_prior.OWN, 20), Between(0, 0.08), "%"),
        Claim("not_turned", "Does the released model warn of most losses that were given as if higher were better?",
              (WARNED, "loss, not turned", 20), most, "%"),
        Claim("overfits", "Does the released model warn of most runs that overfit slowly, at their end?",
              (WARNED, "overfits", 90), most, "%"),
    ]  # fmt: skip
