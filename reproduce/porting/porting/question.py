"""Why did the ports of the student blog score 1.9 to 3.5 where LC-PFN scored 0.0002?"""

from dataclasses import dataclass, field, replace

from curvecast.curves import prior
from curvecast.training.train import TrainConfig, trained
from reproduce._press.where import Rows
from reproduce.porting.porting import checks, figures, old_scores, ports_by_name, same_weights, tables
from reproduce.porting.porting import claims as claimed
from reproduce.porting.porting.old_training import forecast, train
from reproduce.porting.porting.ports_by_name import Length
from reproduce.trainings import SMALL, TINY

CUTOFF = 15  # of the student blog

STOPWATCHES = ("times.value",)
LABEL_FREE = {"few_lines": "a count of lines that stands in every row of the table"}


@dataclass(frozen=True)
class Config:
    lcpfn: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    length: Length = Length()
    models: tuple[str, ...] = ports_by_name.LAPTOP
    seeds: int = 3
    curves: int = 300  # of THE test set, the first ones
    group: int = 5  # curves that the old ports are tested on together
    rounds: int = 9  # of timing: with nine the 95 % interval of the median leaves out the two extreme ones
    timed: int = 20  # curves
    by_heart: int = 200  # steps to learn one batch


SCALES = {
    "smoke": Config(
        TINY["1x16"], Length(64, 4, 1, 1, 1), ports_by_name.ALL, 1, curves=20, rounds=1, timed=2, by_heart=2
    ),
    "laptop": Config(seeds=2, curves=200),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(length=Length(2560, 8, 1200, 32, 60), models=ports_by_name.ALL, curves=1000),
}


def models(config: Config) -> list[TrainConfig]:
    return [config.lcpfn]


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.lcpfn] if part in ("simple", "checks") else []


def parts(config: Config) -> list[str]:
    """What is quick first, then a training each, all models of one seed before the next seed."""
    trainings = [f"{model}-{seed}" for seed in range(config.seeds) for model in config.models]
    return ["equal", "seen", "checks", "simple", *trainings]


def measure(config: Config, part: str) -> Rows:
    if part == "equal":
        return {
            "equal": same_weights.compare(config.timed),
            "times": same_weights.times(config.timed, config.rounds),
        }
    if part == "seen":
        return {"seen": checks.seen(CUTOFF)}
    curves = prior.test_set(config.curves)
    if part == "checks":
        return {"checks": checks.run(trained(config.lcpfn).model, curves, CUTOFF, config.by_heart)}
    if part == "simple":
        return old_scores.simple(trained(config.lcpfn), curves, CUTOFF)
    model, seed = part.rsplit("-", 1)
    course = replace(ports_by_name.course(model, config.length), seed=int(seed))
    told = forecast(train(course), curves.noisy[:, :CUTOFF], course, config.group)
    return {
        table: rows.assign(seed=int(seed)) for table, rows in old_scores.rows(model, told, curves).items()
    }


draw, tabulate, claims = figures.figures, tables.tables, claimed.claims
