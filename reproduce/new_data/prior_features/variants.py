"""The networks that are compared: of one size, budget and recipe, but trained on different curves.

Each is the one of the new prior with one change. All have twice the buckets of the small networks, since real
curves are smoother than those of the paper's prior.
"""

from dataclasses import replace

from curvecast.curves.laws.real_runs import FEATURES
from curvecast.curves.prior import PriorConfig
from curvecast.training.train import TrainConfig
from reproduce.new_data._networks import NEW_PRIOR
from reproduce.protocols.empirical_prior import empirical
from reproduce.trainings import SMALL, TINIEST, TINY

PROPERTIES = dict(zip(FEATURES, (
    "late starts", "curves that never learn", "learning-rate drops", "annealed rates", "late turns", "slow waves",
    "shrinking noise", "autocorrelated noise", "heavy tails", "collapses", "rounded values", "clipping", "losses",
), strict=True))  # fmt: skip
WITHOUT = {f"without-{name.replace(' ', '-')}": name for name in FEATURES}
SEEDS = {"seed-1": 1, "seed-2": 2}
SHARES = {"real-25": 0.25, "real-75": 0.75, "laws-alone": 1.0}
MEASURED = {"measured": 1.0, "measured-half": 0.5}  # share of the groups of a batch that are real curves

TITLES = {
    "new": "new prior", "seed-1": "another seed", "seed-2": "a third seed", "old": "paper’s prior",
    "old-epochs": "paper’s prior, no per-curve scaling", "new-epochs": "no per-curve scaling",
    "real-25": "a quarter from the simulator", "real-75": "three quarters from the simulator",
    "laws-alone": "the simulator alone", "measured": "real curves of other sources",
    "measured-half": "half real curves, half new prior",
} | {key: f"without {PROPERTIES[name]}" for key, name in WITHOUT.items()}  # fmt: skip
ALL = tuple(TITLES)


def networks(size: str, name: str, rows: tuple[str, ...]) -> dict[str, TrainConfig]:
    """The network that is scored on each benchmark; all the same unless trained on real curves."""
    if name not in MEASURED:
        return dict.fromkeys(rows, variant(size, name))
    return {row: empirical(variant(size, "new"), rows, row, MEASURED[name]) for row in rows}


def on_the_papers(size: str, name: str, rows: tuple[str, ...]) -> TrainConfig:
    """The network that is scored on curves of the paper's prior: no source needs to be left out there."""
    if name not in MEASURED:
        return variant(size, name)
    return empirical(variant(size, "new"), rows, None, MEASURED[name])


def variant(size: str, name: str) -> TrainConfig:
    small = (SMALL | TINY | TINIEST)[size]
    units, epochs = (replace(small.model, features=features) for features in ("spread", "epochs"))
    bars = replace(small.bars, buckets=2 * small.bars.buckets)
    new, paper = replace(small, model=units, prior=NEW_PRIOR, bars=bars), PriorConfig()
    if name in SEEDS:
        return replace(new, seed=SEEDS[name])
    if name in SHARES:
        return replace(new, prior=PriorConfig(real=SHARES[name]))
    if name in WITHOUT:
        return replace(new, prior=replace(NEW_PRIOR, without=(WITHOUT[name],)))
    others = {
        "new": new, "new-epochs": replace(new, model=epochs), "old": replace(new, prior=paper),
        "old-epochs": replace(new, prior=paper, model=epochs),
    }  # fmt: skip
    return others[name]
