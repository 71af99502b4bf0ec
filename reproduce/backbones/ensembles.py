"""Are several small networks better than one large at equal compute, and can one small network learn what they know?

All have the attention of the PFN. Four small networks together have as many parameters as the large one, train on as many
curves each, and need as many operations. Small matrix products are inefficient, so a large network with three times the
curves is trained too, which takes about as long. The same on one finite set of curves, with and without bagging.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from curvecast.curves import by_number, prior
from curvecast.curves.prior import PriorConfig
from curvecast.training.batches import Batch, TrainConfig, queries, seed_of
from curvecast.training.steps import Training
from curvecast.training.train import Forecaster
from presswork import Above, Claim, Estimates, Rows, where
from presswork.estimates import by_mean, leads
from reproduce.backbones import _rows, _trainings
from reproduce.backbones._trainings import CUTOFFS, SETTINGS, Trained, log_density
from reproduce.protocols.timing import core_seconds, threads

ROW = "transformer, encoder"
WAYS = {  # with titles
    "one large": "one large", "one large, longer": "one large, 3× the curves",
    "a small one": "a small one", "four small ones": "ensemble of four small ones",
    "a small one, other seed": "a small one, other seed",
    "a small one, taught by the four": "a small one, distilled from the four",
    "few curves: one": "few curves: one", "few curves: four": "few curves: ensemble",
    "few curves: one, bagged": "few curves: one, bagged", "few curves: four, bagged": "few curves: ensemble, bagged",
}  # fmt: skip
TABLES = {"rows": ("way", "seed", "networks", "parameters", "seconds", "cutoff", "ll")}
STOPWATCHES = ("rows.seconds",)


@dataclass(frozen=True)
class Config:
    groups: int = 3  # each a large network and two sets of small ones, with seeds of their own
    members: int = 4
    parameters: int = _rows.PARAMETERS  # of the large one
    curves: int = 24_000
    longer: int = 3  # times the curves, for a large network that takes as long as four small ones
    few: int = 1_000
    draws: int = 4  # of each teacher, for each point
    setting: str = "Muon, twice"  # with which this backbone learns best, by backbone_rates
    scored: int = 2_000  # curves of the second test set


SCALES = {
    "smoke": Config(2, 2, 8_000, curves=128, few=64, draws=2, scored=8),
    "laptop": Config(1, curves=1_024, scored=200),
    "paper": Config(),
}
PARTS = "group-{group}"


def measure(config: Config, group: int) -> pd.DataFrame:
    seeds = [10 * group + member for member in range(config.members)]
    y = prior.second_test_set(config.scored).noisy
    with threads():
        large = _plain(config, seeds[0], config.parameters)
        longer = replace(large, curves=config.longer * config.curves)
        members = [_trained(_plain(config, seed)) for seed in seeds]
        alone = _trained(_plain(config, 10 * group + 9))
        taught = _taught(config, alone.forecaster.config, [one.forecaster.model for one in members])
        by_way = {
            "one large": [_trained(large)], "one large, longer": [_trained(longer)], "four small ones": members,
            "a small one, other seed": [alone], "a small one, taught by the four": [taught],
        }  # fmt: skip
        for way, bagged in (("few curves: four", False), ("few curves: four, bagged", True)):
            by_way[way] = [_trained(_finite(config, group, seed, bagged)) for seed in seeds]
        scored = {way: [score(one, y) for one in several] for way, several in by_way.items()}
    lines = [line for way, several in scored.items() for line in _lines(way, several)]
    return pd.DataFrame(lines).assign(seed=group)


def _plain(config: Config, seed: int, parameters: int | None = None) -> TrainConfig:
    """A small network, if nothing else is said."""
    model = _rows.reader(ROW, parameters or config.parameters // config.members)
    return _trainings.training(model, SETTINGS[config.setting], config.curves, seed)


def _finite(config: Config, group: int, seed: int, bagged: bool) -> TrainConfig:
    return FiniteConfig(**vars(_plain(config, seed)), few=config.few, few_seed=1_000 + group, bagged=bagged)


def _trained(config: TrainConfig) -> Trained:
    done = _trainings.train(config)
    assert done is not None, "a network of this row and setting breaks"
    return done


def _taught(config: Config, student: TrainConfig, teachers: list[object]) -> Trained:
    """The same initial weights and curves as the other small network, with targets from its teachers."""
    net = student.network()
    steps = Lessons(student, net, teachers, config.draws)
    took = core_seconds(lambda: [steps.step(i) for i in range(steps.steps)])
    return Trained(Forecaster(student, net.eval(), []), took)


@dataclass(frozen=True)
class FiniteConfig(TrainConfig):
    """Every step draws its curves from the same few; bagged: from as many of these, drawn with replacement."""

    few: int = 1_000
    few_seed: int = 0  # of the curves themselves
    bagged: bool = False

    def label(self) -> str:
        return f"finite-{self.few}{'-bagged' if self.bagged else ''}"

    def batches(self, step: int, device: str) -> Iterator[Batch]:
        """As training.batches does it: equal groups, one cutoff each, from the longest down."""
        g = torch.Generator().manual_seed(seed_of(self.seed, "finite", step))
        picked = own_curves(self)[torch.randint(self.few, (self.batch,), generator=g)]
        y = few_curves(self.prior, self.few_seed, self.few)[picked]  # (B, T)
        T, size = y.shape[1], self.batch // self.cutoffs
        for i, stratum in enumerate(reversed(range(self.cutoffs))):
            share = (stratum + float(torch.rand(1, generator=g))) / self.cutoffs
            cutoff = min(1 + int(share * (T - 1)), T - 1)
            mine = y[i * size : (i + 1) * size]
            index = queries(self.queries or T, torch.full((size, 1), cutoff), T, T - cutoff, g)  # (n, Q)
            x = torch.arange(1.0, cutoff + 1).expand(size, -1)
            yield Batch(x, mine[:, :cutoff], index + 1.0, mine.gather(1, index), None)


def own_curves(config: FiniteConfig) -> Tensor:
    """The indices of the curves that a network trains on."""
    if not config.bagged:
        return torch.arange(config.few)
    g = torch.Generator().manual_seed(seed_of(config.seed, "bag", 0))
    return torch.randint(config.few, (config.few,), generator=g)


@cache
def few_curves(prior: PriorConfig, seed: int, few: int) -> Tensor:
    return by_number.sample(prior, seed, torch.arange(few)).noisy.float()


class Lessons(Training):
    """Distillation: the targets are values drawn from the forecasts of the teachers, in place of the true ones."""

    def __init__(self, config: TrainConfig, net: Any, teachers: list[Any], draws: int):
        super().__init__(config, net)
        self.teachers, self.draws = teachers, draws
        self.generator = torch.Generator().manual_seed(seed_of(config.seed, "lessons", 0))

    def gradient(self, group: Batch) -> tuple[Tensor, tuple[Tensor, ...]]:
        return super().gradient(group._replace(y_query=self.said(group)))

    def said(self, group: Batch) -> Tensor:
        """The same number of draws from each teacher, (B, Q, S): together a sample from the mixture of all."""
        drawn = []
        for teacher in self.teachers:
            level = torch.rand(self.draws, *group.x_query.shape, generator=self.generator)
            drawn.append(teacher.density(group.x, group.y, group.x_query).quantile(level))
        return torch.cat(drawn).movedim(0, -1).clone()


class Scored(NamedTuple):
    points: dict[int, Tensor]  # by cutoff: log-density of each later point (n, T - c)
    seconds: float
    networks: int
    parameters: int


def score(one: Trained, y: Tensor) -> Scored:
    places = torch.arange(y.shape[1])
    by_cutoff = {c: log_density(one.forecaster, y, places[:c], places[c:], 200) for c in CUTOFFS}
    return Scored(by_cutoff, one.seconds, 1, sum(p.numel() for p in one.forecaster.model.parameters()))


def together(several: Sequence[Scored]) -> Scored:
    """The mean of their densities, point by point."""
    each = {c: torch.stack([one.points[c] for one in several]) for c in several[0].points}
    points = {c: one.logsumexp(0) - math.log(len(several)) for c, one in each.items()}
    sums = [sum(getattr(one, name) for one in several) for name in ("seconds", "networks", "parameters")]
    return Scored(points, *sums)


def _lines(way: str, several: Sequence[Scored]) -> list[dict[str, object]]:
    """Of several: the mean score of one of them, and the score of the ensemble."""
    ways = {way: [together(several)]}
    if len(several) > 1:
        ways[{"four small ones": "a small one"}.get(way, way.replace("four", "one"))] = list(several)
    return [
        {"way": name, "networks": some[0].networks, "parameters": some[0].parameters,
         "seconds": round(sum(one.seconds for one in some) / len(some), 1), "cutoff": c,
         "ll": round(sum(float(one.points[c].mean()) for one in some) / len(some), 4)}
        for name, some in ways.items() for c in CUTOFFS
    ]  # fmt: skip


def estimates(rows: pd.DataFrame) -> Estimates:
    """{("ways", way): nats per point; way: these over one large network that was trained for longer}, in each group, mean
    over cutoffs."""
    scores = by_mean(rows.groupby(["way", "seed"], as_index=False)["ll"].mean(), "way", "ll")
    over = leads(rows, "way", "one large, longer", "ll", paired="seed")
    return over | {("ways", way): one for way, one in scores.items()}


def tabulate(rows: pd.DataFrame) -> Rows:
    each = ((title, where(rows, way=way)) for way, title in WAYS.items())
    return {"ways": pd.DataFrame(
        {"network": title, "networks": mine["networks"].iloc[0], "parameters": f"{mine['parameters'].iloc[0]:,}",
         "seconds": f"{mine['seconds'].median():.0f}"}
        | {f"after {c}": f"{ll:.3f}" for c, ll in mine.groupby("cutoff")["ll"].mean().items()}
        | {"mean": f"{mine['ll'].mean():.3f}"}
        for title, mine in each if len(mine)
    )}  # fmt: skip


def claims() -> list[Claim]:
    asks = "In about the same training time, does an ensemble of four small networks score higher than one large network?"
    return [Claim("four_beat_longer", asks, "four small ones", Above(0), "nats per point")]
