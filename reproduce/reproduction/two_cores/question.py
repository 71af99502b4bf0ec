"""How close to the exact posterior does an hour on two cores come, and how soon does a network match the printed ones?"""

import math
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.exact_bayes.exact import PosteriorConfig
from curvecast.ground.config import later
from curvecast.scores import evaluate
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Claim, Estimates, Interval, Rows, style, there, where
from presswork.claim import Needs
from presswork.estimates import by_mean, line
from presswork.intervals import drawn, student
from reproduce.pictures.panels import legend, panels
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction import _method_scores
from reproduce.reproduction._printed_scores import another_training, from_printed, printed_cells, seed_to_seed
from reproduce.reproduction.two_cores import networks
from reproduce.reproduction.two_cores.networks import BEFORE, LADDER, NETWORKS, RECIPES, Trained

NAMED = {"seconds": (10,), "minute": (10,), "hour": (10, 40, 80)}  # cutoffs of claims beside printed scores
BY_MORE_EFFORT = (5, 10, 70)  # cutoffs of claims beside a posterior that is computed with twice the effort
LOSES_MOST = {5: 0.03, 10: 0.03, 20: 0.02, 40: 0.02, 70: 0.02}  # nats per point, by observed epochs


@dataclass(frozen=True)
class Config:
    networks: dict[str, Trained] = field(default_factory=lambda: NETWORKS)
    curves: int = 10_000  # of the second test set, on which nothing was chosen
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70, 80)
    judged: str = "exact_bayes/paper"  # its rows: scores of the posterior on THE test set's first curves
    seeds: str = "head_or_recipe/paper"  # and these: how much a training varies from seed to seed
    again: str = later("hour")  # for this network the posterior is computed once more, with twice the effort
    more_seeds: tuple[int, ...] = later((1, 2))  # of this network; their parts train it, and keep no seconds
    again_curves: int = later(300)  # the first of the second test set
    judge: PosteriorConfig = later(PosteriorConfig())
    recipes: dict[str, TrainConfig] = field(default_factory=lambda: RECIPES)  # which is first as good as P2?
    lengths: tuple[int, ...] = (16_384, 32_768, 65_536)  # training curves of each
    race_seeds: int = 3
    race_curves: int = 4_000  # of the second test set


SCALES = {
    "smoke": Config(
        networks.TINY_NETWORKS, 40, (10, 20), again_curves=4, more_seeds=(),
        judge=PosteriorConfig(bank=2000, islands=2, population=16, moves=2, steps=8, keep=2),
        recipes=networks.TINY_RECIPES, lengths=(320, 640), race_seeds=1, race_curves=40,
    ),
    "laptop": Config({name: NETWORKS[name]._replace(seeds=1) for name in ("seconds", "minute")}, 2_000, recipes={}),
    "paper": Config(),
}  # fmt: skip
TOLERANCES = dict.fromkeys(
    ("again.exact", "again.lost", "again.ess"),
    (0.05, "a step of a particle that rounding decides otherwise on another processor"),
)
TIMES_TRAININGS = True
STOPWATCHES = ("training.seconds", "race.seconds")
TABLES = {
    "rows": ("network", "seed", "method", "cutoff", "n", "ll", "ll_se", "ll_even", "ll_even_se"),
    # of the recipe before, first seeds, and hour-1 and on
    "lost": ("network", "cutoff", "curve", "curves", "lost"),
    "training": ("network", "seed", "parameters", "curves", "seconds"),
    "luck": ("cutoff", "seeds", "sd"),
    "again": ("cutoff", "curve", "exact", "lost", "ess"),
    "race": ("recipe", "seed", "curves", "seconds", "ll_even"),
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    """The networks; what is known of the recipe before; one posterior again; that network with further seeds; and the race:
    each recipe in several lengths, since its rate falls to zero at the end of each."""
    jobs: dict[str, dict[str, Any]] = {
        f"{name}-{seed}": {"kind": "network", "name": name, "train": replace(one.train, seed=seed)}
        for name, one in config.networks.items() for seed in range(one.seeds)
    }  # fmt: skip
    jobs["known"] = {"kind": "known", "name": "", "train": None}
    if longest := config.networks.get(config.again):
        about = {"name": config.again, "train": longest.train}
        cutoffs = [c for c in LOSES_MOST if c in config.cutoffs]
        jobs |= {f"again{c}": {"kind": "again", "cutoff": c, **about} for c in cutoffs}
        for seed in config.more_seeds:
            more = about | {"train": replace(longest.train, seed=seed)}
            jobs[f"{config.again}-{seed}"] = {"kind": "further", **more}
    race = product(range(config.race_seeds), config.lengths, config.recipes.items())
    return jobs | {
        f"{name}-{curves}-{seed}": {
            "kind": "race", "name": name, "train": replace(recipe, curves=curves, seed=seed),
        }
        for seed, curves, (name, recipe) in race
    }  # fmt: skip


def models(config: Config) -> list[TrainConfig]:
    """What parts need, but a training that is a network and in the race is named twice, as when the settings were hashed."""
    return [job["train"] for job in parts(config).values() if job["kind"] in ("network", "race")]


def needs(kind: str, train: TrainConfig | None) -> list[TrainConfig]:
    """A further seed is trained by its own part, since it was added when the settings were fixed."""
    return [train] if train and kind != "further" else []


def reads(config: Config) -> list[str]:
    return [config.judged, config.seeds]


def measure(
    config: Config, kind: str, name: str, train: TrainConfig | None, cutoff: int | None, read: dict[str, Rows]
) -> Rows:
    judged = read[config.judged]["rows"]
    if train is None:
        judged = judged[judged["curve"] < config.curves]
        before = [_lost(judged, where(judged, method=name), name, curves) for name, curves in BEFORE.items()]
        return {"lost": pd.concat(before), "luck": seed_to_seed(read[config.seeds]["seeds"])}
    if kind == "race":
        return {"race": networks.mean_score(train, name, config.race_curves)}
    forecaster = trained(train)
    if cutoff:
        again = networks.lost_to_twice_the_effort(forecaster, cutoff, config.again_curves, config.judge)
        return {"again": again}
    about, fresh = {"network": name, "seed": train.seed}, prior.second_test_set(config.curves)
    rows = pd.DataFrame(_method_scores.likelihoods(name, forecaster, fresh, config.cutoffs)).assign(**about)
    if kind == "further":
        return {"rows": rows, "lost": _lost_of(judged, forecaster, config, f"{name}-{train.seed}")}
    cost = about | {"parameters": sum(p.numel() for p in forecaster.model.parameters()), "curves": train.curves,
                    "seconds": forecaster.history[-1]["seconds"]}  # fmt: skip
    lost = {} if train.seed else {"lost": _lost_of(judged, forecaster, config, name)}
    return {"rows": rows, "training": pd.DataFrame([cost])} | lost


def _lost_of(judged: pd.DataFrame, forecaster: Forecaster, config: Config, name: str) -> pd.DataFrame:
    exact = where(judged, method="exact")
    some = prior.test_set(min(config.curves, 1 + int(exact["curve"].max()))).noisy
    each = [
        pd.DataFrame({"cutoff": c, "curve": range(len(some)), "ll": evaluate.likelihood(forecaster, some, c).numpy()})
        for c in config.cutoffs
    ]  # fmt: skip
    return _lost(judged, pd.concat(each), name, forecaster.config.curves)


def _lost(judged: pd.DataFrame, ours: pd.DataFrame, name: str, curves: int) -> pd.DataFrame:
    """What a network scores below the exact posterior, on each curve that both have."""
    both = where(judged, method="exact").merge(ours[["cutoff", "curve", "ll"]], on=["cutoff", "curve"])
    frame = both[["cutoff", "curve"]].assign(network=name, curves=curves)
    return frame.assign(lost=(both["ll_x"] - both["ll_y"]).round(3))


def estimates(rows: Rows) -> Estimates:
    """{(network, cutoff): what it loses, on the curves whose posterior is known}, and claims by their names."""
    stated = {f"hour_loses_by_more_effort_at_{c}": hour_loses(rows, c) for c in BY_MORE_EFFORT}
    for name, cutoffs in NAMED.items():
        printed = NETWORKS[name].printed
        above = above_print(rows, name, printed)
        stated |= {f"{name}_{printed.lower()}_at_{c}": above.get(c) for c in cutoffs}
    stated["ten_times_the_curves_at_10"] = networks.ten_times(rows["lost"], [*LADDER], 10)
    stated["lent_saves"] = networks.saving(rows["race"], "lent", "before")
    stated["lent_adds"] = networks.saving(rows["race"], "lent", "early")
    return by_mean(rows["lost"], ["network", "cutoff"], "lost") | there(stated)


def above_print(rows: Rows, name: str, printed: str) -> Estimates:
    """By cutoff: trainings' mean above what is printed; the interval counts both test sets and seed-to-seed variation."""
    found = {}
    for cutoff, mine in where(rows["rows"], network=name).groupby("cutoff"):
        of_seeds = Interval.of_mean(mine.set_index("seed")["ll_even"])
        luck = of_seeds or another_training(rows["luck"], cutoff)  # for one seed, of other trainings
        theirs = log_likelihood(printed, cutoff) or math.nan
        found[cutoff] = from_printed(mine.mean(numeric_only=True), theirs, luck=luck)
    return found


def hour_loses(rows: Rows, cutoff: int) -> Interval | None:
    """What the first seed of an hour loses by more effort; the interval counts how the others scatter."""
    mine = where(rows["lost"], cutoff=cutoff)
    hours = mine[mine["network"].astype(str).str.fullmatch("hour(-[0-9]+)?")]
    table = hours.pivot_table(index="network", columns="curve", values="lost")
    seeds = table.mean(axis=1).rename_axis("seed")
    again = Interval.of_mean(where(rows["again"], cutoff=cutoff).set_index("curve")["lost"])
    if again and len(seeds) > 1:
        half = math.hypot(again.half, student(len(seeds)) * seeds.std())
        again = Interval.around(again.value, half, drawn(seeds) + again.over)
    return again


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    cutoffs = [c for c in (5, 10, 20, 40) if c in config.cutoffs]
    titles = [f"{c} epochs observed" for c in cutoffs]
    figure, axes = panels(titles, (9.6, 3.4), across="training curves", sharey=True, sharex=True)
    curves = rows["lost"].groupby("network")["curves"].first().sort_values()
    recipes = (("last", "previous recipe", {*BEFORE}), ("ours", "with lent endings", {*config.networks}))
    known = {n for n in curves.index if n in BEFORE or n in LADDER or n.startswith("rung")}
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        for colour, label, names in recipes:
            mine = {n: found.get((name, cutoff)) for name, n in curves.items() if name in names & known}
            line(axis, there(mine), color=style.colour(colour), marker="o", markersize=4, label=label)
        axis.axhline(0, color=style.colour("exact"), linewidth=1.5)
        axis.set_xscale("log")
    axes[0].set_ylabel("nats per point below the exact\nposterior (lower is better)")
    legend(figure, axes, 2)
    return {"lost": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    """Scores of the networks, and of the printed ones that they are compared with."""
    reached, columns = [], {c: f"{c} %" for c in config.cutoffs}
    scores = rows["rows"].groupby(["network", "cutoff"])["ll_even"].mean()
    for name, one in config.networks.items():
        if name in scores:
            seconds = where(rows["training"], network=name)["seconds"].median()
            reached.append(
                {"network": f"{one.size}, {one.train.curves:,} curves", "training seconds": f"{seconds:,.0f}"}
                | {title: f"{scores[name, c]:.3f}" for c, title in columns.items()}
            )
    for name in ("P1", "P2", "P3"):
        reached.append({"network": f"{name}, printed", "training seconds": ""} | printed_cells(name, columns))
    return {"reached": pd.DataFrame(reached)}


def claims() -> list[Claim]:
    lent = "lent endings (drawn from the posterior)"
    reach = "let a 3 × 128 network reach the printed score of P2"
    near = f"does this {called(NETWORKS['hour'])}, score very close to the exact posterior"
    named = [(NETWORKS[name], name, c) for name, cutoffs in NAMED.items() for c in cutoffs]

    def claim(name: str, asks: str, needs: Needs, unit: str = "nats per point") -> Claim:
        return Claim(name, asks, name, needs, unit)

    return [
        *(claim(f"{name}_{one.printed.lower()}_at_{c}", f"Does our {called(one)}, {'come close to' if one.near else 'reach'} "
                f"the printed {one.printed} with {c} % of the epochs observed?", AtLeast(-one.near or 0.0))
          for one, name, c in named),
        *(claim(f"hour_loses_by_more_effort_at_{c}", f"After {c} epochs, {near} when that is computed with twice the prior "
                "curves and steps?", AtMost(LOSES_MOST[c])) for c in BY_MORE_EFFORT),
        claim("ten_times_the_curves_at_10", f"Do ten times the curves bring a 3 × 128 network, trained with {lent}, much "
              "closer to the exact posterior after 10 epochs?", Above(1.5), "×"),
        claim("lent_saves", f"Do {lent} and showing short beginnings more often together {reach} with far fewer training "
              "curves?", Above(2), "×"),
        claim("lent_adds", f"Where short beginnings are already shown more often, do {lent} {reach} with fewer training "
              "curves?", Above(1), "×"),
    ]  # fmt: skip


def called(one: Trained) -> str:
    return f"{one.size} network, trained on {one.train.curves:,} curves"
