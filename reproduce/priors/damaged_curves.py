"""What do missing, repeated and rounded values cost a forecast, and what do many passes bring?

TabPFN is said to work badly with missing values, and averages many passes (`_passes`). Curves of the paper's prior are
damaged in four ways before they are shown; what is lost is left out, which our networks allow, or filled in. Later values
stay as they are. Of two networks, one was trained on whole beginnings alone, the other left out epochs as well.
Shapes: B = curves, T = observed points, Q = queries.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Generator, Tensor

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.ground.errors import demand
from curvecast.training.batches import with_holes
from curvecast.training.train import Forecaster, TrainConfig, trained
from presswork import Above, AtLeast, Below, Between, Claim, Estimates, Interval, Rows, style, there
from presswork.estimates import grouped, line, table, those_of
from reproduce.pictures.panels import legend, panels, ticks
from reproduce.priors._passes import Maps, ahead_of, gains
from reproduce.protocols.timing import threads
from reproduce.trainings import SMALL, TINIEST

WHOLE, GAPS = "whole", "gaps"  # beginnings that a network was trained on
PASSES = "passes"  # of the first
NONE, RANDOM, BLOCK, STALE, ROUNDED = "none", "random", "block", "repeated", "rounded"
LEFT_OUT, LAST, STRAIGHT = "left out", "last value", "straight line"  # what is done about missing values
AS_IT_IS, NOISE = "as it is", "with noise"  # about rounded ones
DAMAGES = {RANDOM: "missing at random", BLOCK: "missing in a block", STALE: "repeated", ROUNDED: "rounded"}
ACROSS = {RANDOM: "share missing", BLOCK: "share missing", STALE: "epochs to the next value",
          ROUNDED: "to multiples of"}  # fmt: skip
MUCH, COARSE = 0.4, 0.05  # of claims: share missing, rounding
KEPT = Between(0.87, 0.93)
WHOLE_BEGINNING = (NONE, 0, AS_IT_IS)
LOSS = "loss"
GROUPS = 10  # of the curves, which tell how much their choice matters


@dataclass(frozen=True)
class Config:
    network: TrainConfig = SMALL["1x64"]
    seeds: int = 3
    curves: int = 1_000  # of the second test set
    cutoffs: tuple[int, ...] = (10, 20, 40)
    shares: tuple[float, ...] = (0.1, 0.2, 0.4, 0.6, 0.8)  # of the observed points that are missing
    every: tuple[int, ...] = (2, 3, 5, 10)  # a new value is written so rarely, and repeated until the next
    steps: tuple[float, ...] = (0.01, 0.05, 0.1)  # values are multiples of it
    points: int = 12  # later ones that are asked for, spread evenly
    passes: tuple[int, ...] = later((1, 2, 4, 8, 16, 32))
    maps: Maps = later(Maps())

    def __post_init__(self) -> None:
        told = f"shares {self.shares} of missing points must lie above 0 and below 1, since one point has to be left"
        demand(all(0 < share < 1 for share in self.shares), told)


SCALES = {
    "smoke": Config(TINIEST["1x8"], 1, 20, shares=(0.4, 0.8), every=(5,), steps=(0.01, 0.05), points=4,
                    passes=(1, 2, 4)),
    "laptop": Config(seeds=1, curves=300, shares=(0.2, 0.4, 0.8), every=(2, 5), steps=(0.01, 0.05)),
    "paper": Config(),
}  # fmt: skip
TABLES = {
    # size: of the damage, a share, a period or a step; group: a tenth of the curves
    "rows": ("network", "seed", "damage", "size", "way", "cutoff", "group", "ll", "in90"),
    "passes": ("seed", "group", "cutoff", "passes", "gain", "single"),  # above one pass without a map
}


def parts(config: Config) -> dict[str, dict[str, Any]]:
    each = [(name, seed) for seed in range(config.seeds) for name in (WHOLE, GAPS, PASSES)]
    return {f"{name}-{seed}": {"name": name, "seed": seed} for name, seed in each}


def needs(config: Config, name: str, seed: int) -> list[TrainConfig]:
    train = replace(config.network, seed=seed)
    return [with_holes(train) if name == GAPS else train]


def measure(config: Config, name: str, seed: int) -> Rows:
    forecaster = trained(needs(config, name, seed)[0])
    y = prior.second_test_set(config.curves).noisy
    with threads():
        if name == PASSES:
            each = gains(forecaster, y, config.cutoffs, config.points, config.passes, config.maps)
            by = ["group", "cutoff", "passes"]
            found = each.assign(group=each["curve"] % GROUPS).groupby(by, as_index=False).mean()
        else:
            found = damages(config, forecaster, y).assign(network=name)
    table = PASSES if name == PASSES else "rows"
    return {table: found.assign(seed=seed)[list(TABLES[table])].round(4)}


def damages(config: Config, forecaster: Forecaster, y: Tensor) -> pd.DataFrame:
    frames = []
    sizes = {RANDOM: config.shares, BLOCK: config.shares, STALE: config.every, ROUNDED: config.steps}
    for cutoff in config.cutoffs:
        chance = Generator().manual_seed(cutoff)  # the same damage for every network
        for shown in in_all_ways(y[:, :cutoff], sizes, chance):
            means = scores(forecaster, shown, y, config.points).groupby("group", as_index=False).mean()
            frames.append(means.assign(damage=shown.damage, size=shown.size, way=shown.way, cutoff=cutoff))
    return pd.concat(frames)


# ---------------------------------------------------------- what is lost of a beginning, and what is filled in


class Shown(NamedTuple):
    """What a network is given of a damaged beginning."""

    damage: str
    size: float  # share of missing points, epochs to the next value, or step of rounding
    way: str
    y: Tensor  # (B, T)
    there: Tensor  # (B, T) which values are given


def in_all_ways(y: Tensor, sizes: Mapping[str, tuple[float, ...]], chance: Generator) -> Iterator[Shown]:
    """Beginnings (B, T), whole and with each damage of each size, in all ways that suit it."""
    whole = torch.ones_like(y, dtype=torch.bool)
    yield Shown(NONE, 0, AS_IT_IS, y, whole)
    for damage, drop in {RANDOM: at_random, BLOCK: in_a_block, STALE: between_values}.items():
        for size in sizes[damage]:
            there = drop(y, size, chance)
            yield Shown(damage, size, LEFT_OUT, y, there)
            yield Shown(damage, size, LAST, last_value(y, there), whole)
            yield Shown(damage, size, STRAIGHT, straight_line(y, there), whole)
    for step in sizes[ROUNDED]:
        near = (y / step).round() * step
        yield Shown(ROUNDED, step, AS_IT_IS, near, whole)
        yield Shown(ROUNDED, step, NOISE, near + step * (torch.rand(y.shape, generator=chance) - 0.5), whole)


def at_random(y: Tensor, share: float, chance: Generator) -> Tensor:
    """Which points are kept, equally many of each curve and at least one.  (B, T) -> (B, T)"""
    order = torch.rand(y.shape, generator=chance).argsort(1).argsort(1)  # (B, T)
    return order >= min(round(share * y.shape[1]), y.shape[1] - 1)


def in_a_block(y: Tensor, share: float, chance: Generator) -> Tensor:
    """A gap begins anywhere, and may reach to the last observed point."""
    gap, place = min(round(share * y.shape[1]), y.shape[1] - 1), torch.arange(y.shape[1])
    start = torch.randint(y.shape[1] - gap + 1, (len(y), 1), generator=chance)
    return (place < start) | (place >= start + gap)


def between_values(y: Tensor, every: float, chance: Generator) -> Tensor:
    """The first value is kept, and then one in so many."""
    return (torch.arange(y.shape[1]) % int(every) == 0).expand_as(y)


def last_value(y: Tensor, there: Tensor) -> Tensor:
    """As logs are filled; before the first value, that value.  (B, T), (B, T) -> (B, T)"""
    before, after = neighbours(there)
    return y.gather(1, torch.where(before < 0, after, before))


def straight_line(y: Tensor, there: Tensor) -> Tensor:
    """Between the values on both sides; beyond the outermost, their value."""
    before, after = neighbours(there)
    left, right = torch.where(before < 0, after, before), torch.where(after >= y.shape[1], before, after)
    share = (torch.arange(y.shape[1]) - left) / (right - left).clamp(min=1)
    return torch.lerp(y.gather(1, left), y.gather(1, right), share)


def neighbours(there: Tensor) -> tuple[Tensor, Tensor]:
    """The places of the last value up to each point, or -1, and of the first from it on, or T.  (B, T) each"""
    T, place = there.shape[1], torch.arange(there.shape[1]).expand_as(there)
    before = torch.where(there, place, -1).cummax(1).values
    after = torch.where(there, place, T).flip(1).cummin(1).values.flip(1)
    return before, after


def scores(forecaster: Forecaster, shown: Shown, y: Tensor, points: int) -> pd.DataFrame:
    """Of each curve (B, L): nats per later point, and the share of these in the 90 % interval."""
    cutoff, x = shown.y.shape[1], torch.arange(1.0, y.shape[1] + 1).expand_as(y)
    ahead = ahead_of(cutoff, y, points)
    mask, later = None if shown.there.all() else shown.there, y[:, ahead]
    density = forecaster.model.density(x[:, :cutoff], shown.y, x[:, ahead], mask)
    inside = ((density.cdf(later) - 0.5).abs() <= 0.45).float()
    ll, in90 = density.log_density(later).mean(1), inside.mean(1)  # (B,)
    return pd.DataFrame({"group": torch.arange(len(y)) % GROUPS, "ll": ll, "in90": in90})


# ------------------------------------------------------------------------------------------------- estimates

Case = tuple[str, str, float, str]  # network, damage, size, way
Cases = dict[Case, pd.DataFrame]  # means over cutoffs: (seeds, groups of curves)


def cases(rows: pd.DataFrame, value: str) -> Cases:
    if rows.empty:
        return {}
    key = ["network", "damage", "size", "way"]
    means = rows.groupby([*key, "seed", "group"])[value].mean().unstack("group").rename_axis("batch", axis=1)
    return {case: own.droplevel(key) for case, own in means.groupby(level=key, sort=False)}


def estimates(rows: Rows) -> Estimates:
    """{(LOSS, network, damage, size, way): nats per point below the network that never saw gaps, on whole beginnings},
    {(number of passes, "gain" or "single"): nats per point above one pass}, and the others by the names of their claims."""
    scored, covered = (cases(rows["rows"], value) for value in ("ll", "in90"))
    whole, whole_of_gaps = ((network, *WHOLE_BEGINNING) for network in (WHOLE, GAPS))
    never, filled = ((WHOLE, RANDOM, MUCH, way) for way in (LEFT_OUT, LAST))
    gaps = (GAPS, RANDOM, MUCH, LEFT_OUT)
    found = {(LOSS, *case): lead(scored, whole, case) for case in scored} | {
        "gaps_cost_little": lead(scored, whole_of_gaps, gaps),
        "gap_training_is_free": lead(scored, whole_of_gaps, whole),
        "leaving_out_beats_filling": lead(scored, never, filled),
        "gaps_keep_coverage": over_both(covered[gaps]) if gaps in covered else None,
    }
    long = rows["passes"].melt(["seed", "group", "passes"], ["gain", "single"], "value", "nats")
    batches = grouped(long.rename(columns={"group": "batch"}), ["passes", "value"],
                      lambda own: over_both(own.pivot_table("nats", "seed", "batch")))  # fmt: skip
    return there(found) | batches


def over_both(units: pd.DataFrame) -> Interval | None:
    """The mean of a line a seed, a column a group of curves, where both vary; of one seed, its columns alone."""
    return Interval.of_seeds_and_curves(units) or Interval.of_mean(units.mean(axis=0))


def lead(scores: Cases, one: Case, other: Case) -> Interval | None:
    """Nats per point by which one case is above another, on the same curves."""
    return over_both(scores[one] - scores[other]) if one in scores and other in scores else None


# ---------------------------------------------------------------------------------------------------- shown

LINES = {  # network, way, colour
    "left out, trained with gaps": (GAPS, LEFT_OUT, "ours"),
    "left out, never saw gaps": (WHOLE, LEFT_OUT, "exact"),
    "filled with the last value": (WHOLE, LAST, "paper"),
    "filled with a straight line": (WHOLE, STRAIGHT, "new"),
    "rounded": (WHOLE, AS_IT_IS, "last"),
    "rounded, with noise": (WHOLE, NOISE, "pow4"),
}


def draw(found: Estimates) -> dict[str, Figure]:
    lost = those_of(found, LOSS)
    figure, axes = panels(DAMAGES.values(), (10.4, 3.8), sharey=True)
    for axis, damage in zip(axes, DAMAGES, strict=True):
        sizes = sorted({size for _, of, size, _ in lost if of == damage})
        for label, (network, way, colour) in LINES.items():
            if each := {size: one for size in sizes if (one := lost.get((network, damage, size, way)))}:
                line(axis, each, color=style.colour(colour), marker="o", markersize=3, label=label)
        axis.set(yscale="log", xlabel=ACROSS[damage])
        ticks(axis, sizes, "g")
    ticks(axes[0], (0.01, 0.03, 0.1, 0.3, 1, 3, 10), "g", "y")
    axes[0].set_ylabel("loss (nats per point)")
    legend(figure, axes, 3)
    return {"damage": figure}


def tabulate(found: Estimates, config: Config) -> Rows:
    """Losses by damage and size, in the ways of the figure; what passes gain."""
    sizes = {
        (damage, size): f"{DAMAGES[damage]}, {size:g}"
        for damage in DAMAGES for _, of, size, _ in those_of(found, LOSS) if of == damage
    }  # fmt: skip
    lines = {(LOSS, network, ..., way): label for label, (network, way, _) in LINES.items()}
    columns = {"gain": "average of the passes", "single": "mean single pass"}
    return {
        "losses": table(found, "damage", sizes, lines, ".3f"),
        "passes": table(found, "passes", config.passes[1:], columns, "+.4f"),
    }


def claims(config: Config) -> list[Claim]:
    """Means over 10, 20 and 40 observed epochs; over seeds and curves."""
    nats = "nats per point"
    return [
        Claim("gaps_cost_little", "Does a network trained with gaps lose less than a tenth of a nat if many points are "
              "missing at random?", "gaps_cost_little", Below(0.1), nats),
        Claim("gap_training_is_free", "Without gaps, is a network trained with gaps as good as one that never saw any?",
              "gap_training_is_free", AtLeast(-0.02), nats),
        Claim("leaving_out_beats_filling", "For a network that never saw gaps, is leaving out missing points better than "
              "filling in the last value?", "leaving_out_beats_filling", Above(0), nats),
        Claim("coarse_rounding_is_free", "Do values rounded to twentieths cost less than a tenth of a nat?",
              (LOSS, WHOLE, ROUNDED, COARSE, AS_IT_IS), Below(0.1), nats),
        Claim("gaps_keep_coverage", "Does the 90 % interval of a network trained with gaps keep its coverage if many "
              "points are missing at random?", "gaps_keep_coverage", KEPT, "%"),
        Claim("passes_help_prior", "On curves of the paper’s prior, do many passes score higher than one?",
              (config.passes[-1], "gain"), Above(0), nats),
    ]  # fmt: skip
