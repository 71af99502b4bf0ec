"""How good is the released model, which comes with the package, on whole runs and on runs with holes?"""

from dataclasses import dataclass, field
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import outside_prior, prior
from curvecast.curves.prior import PriorConfig
from curvecast.exact_bayes import exact
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.forecasting import belief, shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.forecasting.doubts import RARE
from curvecast.scores import curve_by_curve, evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, AtMost, Between, Claim
from reproduce._press.estimates import Estimates, by_mean, grouped
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, minus
from reproduce.pictures.panels import ticks
from reproduce.trainings import SMALL, TINY

SEEN = 20  # epochs, of which runs with holes have some
WHOLE = f"all {SEEN}"
HEADLESS = "without the first five"
HOLES = ("every second", "every fifth", "every tenth", "a random half", HEADLESS, "the last alone")
TITLES = {"shipped": "released model", "whole": "network of whole runs"}
NATS = "nats per point"
KINDS = {"loss, not turned": "loss given as a score", "between 1 and 2": "values between 1 and 2"}  # as shown


@dataclass(frozen=True)
class Config:
    train: TrainConfig = SMALL["3x128"]  # to compare with: trained on whole beginnings alone
    curves: int = 1000  # of THE test set, the first ones
    holes: int = 500  # of them with holes
    judged: int = 24  # of them by the exact posterior as well
    odd: int = 200  # of them for the warning, and as many of each other kind
    drawn: int = 60  # of them with sampled futures, so many for each:
    futures: int = 40
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70)
    judge_cutoffs: tuple[int, ...] = (10, 20)
    odd_cutoffs: tuple[int, ...] = (10, 20, 60, 90)
    judge: PosteriorConfig = field(default_factory=PosteriorConfig)
    at_once: int = 8
    seed: int = 0


SCALES = {
    "smoke": Config(
        TINY["1x16"], 8, 6, 2, 3, 2, 4, (10, 20), (10,), (10,), at_once=2,
        judge=PosteriorConfig(bank=4000, islands=2, population=16, moves=2, steps=8, keep=2),
    ),
    "laptop": Config(curves=160, holes=160, judged=8, odd=80, drawn=30),
    "paper": Config(curves=500),
}  # fmt: skip
TABLES = {
    "rows": ("cutoff", "curve", "ll", "cover90", "case", "method"),
    "odd": ("kind", "cutoff", "curve", "in_prior"),
    "futures": ("curve", "place"),
}


def parts(config: Config) -> list[str]:
    return ["whole", "holes", "judge", "odd", "futures"]


def measure(config: Config, part: str) -> Rows:
    ours = torch_network.load(shipped.PATH)
    noisy = prior.test_set(config.curves).noisy
    if part == "odd":
        return {"odd": _odd(config)}
    if part == "futures":
        return {"futures": _futures(noisy, config)}
    networks = {"shipped": ours, "whole": trained(config.train)}
    if part == "whole":
        frames = {name: _whole(net, noisy, config.cutoffs) for name, net in networks.items()}
    elif part == "holes":
        frames = {name: _holes(net, noisy[: config.holes], config.seed) for name, net in networks.items()}
    else:
        frames = {"judge": _judged(noisy[: config.judged], config)}
    return {"rows": pd.concat([frame.assign(method=name) for name, frame in frames.items()]).round(5)}


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
    frame = curve_by_curve.gaps(net, noisy, SEEN, torch.Generator().manual_seed(seed))
    return frame[frame["case"].isin([WHOLE, *HOLES])].assign(cutoff=SEEN)


def _judged(noisy: torch.Tensor, config: Config) -> pd.DataFrame:
    law, generator, frames = PriorConfig(), torch.Generator().manual_seed(config.seed), []
    bank = exact.bank(law, config.judge.bank, generator)
    for cutoff in config.judge_cutoffs:
        lls = []
        for some in noisy.split(config.at_once):
            posterior = exact.exact_posterior(law, some[:, :cutoff], bank, generator, config.judge)
            lls.append(posterior.cloud.later(cutoff).log_density(some[:, cutoff:]).mean(1))
        ll = torch.cat(lls).double().numpy()
        frames.append(pd.DataFrame({"cutoff": cutoff, "curve": range(len(ll)), "ll": ll}))
    return pd.concat(frames).assign(case="whole", cover90=np.nan)


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
            scores = belief.oddness(network.network, [(x, one[:cutoff].numpy()) for one in y])
            share = [belief.in_prior(network.table, cutoff, float(s)) for s in scores]
            frames.append(
                pd.DataFrame({"kind": name, "cutoff": cutoff, "curve": range(len(y)), "in_prior": share})
            )
    return pd.concat(frames).round(4)


def _futures(noisy: torch.Tensor, config: Config) -> pd.DataFrame:
    """At which quantile of the direct forecast sampled futures end: spread evenly, if the two agree."""
    seen = noisy[:, :10]
    within = seen[((seen >= 0) & (seen <= 1)).all(1)][: config.drawn]  # as an accuracy is
    frames = []
    for i, run in enumerate(forecast(within.numpy(), check=False)):
        _, values = run.futures(config.futures, seed=config.seed + i)
        frames.append(pd.DataFrame({"curve": i, "place": run.row.last.cdf(values[:, -1:])[:, 0]}))
    return pd.concat(frames).round(5)


# ------------------------------------------------------------------------------------------------- estimates


def leads(rows: pd.DataFrame, ours: str, theirs: str) -> Estimates:
    """By case and cutoff: by how much one forecaster is above another, paired by curve."""
    return grouped(
        rows, ["case", "cutoff"], lambda own: Interval.of_mean(minus(own, "method", ours, theirs, "ll"))
    )


def coverage(rows: pd.DataFrame, times: float = 1.0) -> Estimates:
    """By case, method and cutoff: of the 90 % interval; `times` changes the unit."""
    return by_mean(rows.assign(cover90=times * rows["cover90"]), ["case", "method", "cutoff"], "cover90")


def warned(odd: pd.DataFrame) -> Estimates:
    """By kind and cutoff: the share of these curves that get a warning."""
    return grouped(
        odd, ["kind", "cutoff"], lambda own: Interval.wilson((own["in_prior"] < RARE).astype(float))
    )


def held_futures(futures: pd.DataFrame) -> Interval | None:
    inside = ((futures["place"] > 0.05) & (futures["place"] < 0.95)).astype(float)
    return Interval.of_mean(inside.groupby(futures["curve"]).mean())


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    return {
        "holes": _holes_drawn(leads(rows["rows"], "shipped", "whole")),
        "odd": _warned_drawn(warned(rows["odd"])),
    }


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
    axis.set_xlabel("lead over the network of whole runs, nats per point (higher is better)")
    return figure


def _warned_drawn(share: Estimates) -> Figure:
    kinds, cutoffs = _kinds_and_cutoffs(share)
    figure, axis = plt.subplots(figsize=(7, 0.34 * len(kinds) + 1.1), layout="constrained")
    for i, cutoff in enumerate(cutoffs):
        values = [share[kind, cutoff].value for kind in kinds]
        places = np.arange(len(kinds)) + 0.18 * (i - (len(cutoffs) - 1) / 2)
        shade: dict[str, Any] = {"color": style.colour("ours"), "alpha": 0.35 + 0.65 * (i + 1) / len(cutoffs)}
        axis.hlines(places, 0, values, linewidth=2.5, **shade)
        axis.plot(values, places, "o", markersize=3.5, label=f"{cutoff} epochs observed", **shade)
        axis.legend(frameon=False, loc="lower right")
    axis.axvline(RARE, color=style.faint(), linestyle=":")
    axis.set_yticks(range(len(kinds)), [KINDS.get(kind, kind) for kind in kinds])
    axis.invert_yaxis()
    axis.set_xlim(-0.01, 1.02)
    axis.set_xlabel("share of curves with a warning")
    return figure


def _kinds_and_cutoffs(share: Estimates) -> tuple[list[str], list[int]]:
    return list(dict.fromkeys(kind for kind, _ in share)), sorted({cutoff for _, cutoff in share})


def tabulate(rows: Rows) -> Rows:
    """Where the exact posterior was computed, likelihoods stand beside it."""
    each, share = rows["rows"], warned(rows["odd"])
    score, held = by_mean(each, ["case", "method", "cutoff"], "ll"), coverage(each, 100)
    below = leads(each, "judge", "shipped")
    likelihood = [
        {"epochs observed": f"{cutoff}"}
        | {title: _nats(score.get(("whole", method, cutoff))) for method, title in TITLES.items()}
        | {"below the exact posterior": _nats(below.get(("whole", cutoff)))}
        | {"coverage, 90 % interval": _per_cent(held.get(("whole", "shipped", cutoff)))}
        for cutoff in sorted(each[each["case"] == "whole"]["cutoff"].unique())
    ]
    holes = [
        {
            "epochs observed": case if case == WHOLE else f"{case} of {SEEN}",
            "released model": _nats(score.get((case, "shipped", SEEN))),
            "its coverage": _per_cent(held.get((case, "shipped", SEEN))),
            "network of whole runs": _nats(score.get((case, "whole", SEEN))),
            "coverage, network of whole runs": _per_cent(held.get((case, "whole", SEEN))),
        }
        for case in (WHOLE, *HOLES)
    ]
    kinds, cutoffs = _kinds_and_cutoffs(share)
    odd = [
        {"curves": KINDS.get(kind, kind)}
        | {f"{cutoff} observed": f"{100 * share[kind, cutoff].value:.1f} %" for cutoff in cutoffs}
        for kind in kinds
    ]
    return {"likelihood": pd.DataFrame(likelihood), "holes": pd.DataFrame(holes), "odd": pd.DataFrame(odd)}


def _nats(found: Interval | None) -> str:
    return in_cell(found, ".3f", "–")


def _per_cent(found: Interval | None) -> str:
    return "–" if found is None else found.plus_minus(".1f") + " %"


def claims(rows: Rows) -> list[Claim]:
    lead, share = leads(rows["rows"], "shipped", "whole"), warned(rows["odd"])
    below, held = leads(rows["rows"], "judge", "shipped"), coverage(rows["rows"])
    warns, seldom = "does the released model seldom warn of curves of the paper’s prior?", Between(0, 0.08)
    close = "is the log-likelihood of the released model close to that of the exact posterior?"
    honest = "does the 90 % interval of the released model have about the coverage it states?"
    other = "a network of the same size that was trained on whole runs of the paper’s prior"
    nearly = f"does the released model score nearly as high as {other}?"
    higher = f"does the released model score higher than {other}?"
    ends = "end inside the 90 % interval of its direct forecast about as often as that interval states?"
    most = AtLeast(0.8)
    return [
        Claim("loses_little", f"After ten epochs, {close}", below.get(("whole", 10)), AtMost(0.15), NATS),
        Claim("whole_runs", f"After twenty whole epochs, {nearly}", lead.get(("whole", 20)), Above(-0.02), NATS),
        Claim("headless", f"With the first five of twenty epochs missing, {nearly}",
              lead.get((HEADLESS, SEEN)), Above(-0.02), NATS),
        Claim("fifth", f"With every fifth of twenty epochs logged, {higher}",
              lead.get(("every fifth", SEEN)), Above(0), NATS),
        Claim("half", f"With a random half of twenty epochs logged, {higher}",
              lead.get(("a random half", SEEN)), Above(0), NATS),
        Claim("honest", f"After ten epochs, {honest}", held.get(("whole", "shipped", 10)), Between(0.87, 0.93), "%"),
        Claim("alarms", f"After twenty epochs, {warns}", share.get((outside_prior.OWN, 20)), seldom, "%"),
        Claim("alarms_late", f"After ninety epochs, {warns}", share.get((outside_prior.OWN, 90)), seldom, "%"),
        Claim("diverged", "Does the released model warn of most runs that fell to guessing five epochs ago?",
              share.get(("diverges", 60)), most, "%"),
        Claim("not_turned", "Does the released model warn of most losses that were given as if higher were better?",
              share.get(("loss, not turned", 20)), most, "%"),
        Claim("overfits", "Does the released model warn of most runs that overfit slowly, at their end?",
              share.get(("overfits", 90)), most, "%"),
        Claim("futures", f"Do sampled futures of the released model {ends}",
              held_futures(rows["futures"]), Between(0.85, 0.95), "%"),
    ]  # fmt: skip
