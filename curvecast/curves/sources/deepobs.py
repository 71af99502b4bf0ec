"""DeepOBS: three optimisers on a grid of 36 learning rates, and nine more seeds at the best one."""

from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="deepobs_baselines.csv.gz",
    source="deepobs",
    licence="MIT",
    copyright="Copyright (c) 2019 Frank",
    citation="deepobs",
    repository="fsschneider/DeepOBS_Baselines",
    commit="3da285abf9786e823aaef6d0fc0c9c98ef5d6d83",
    folder=".",
    megabytes=1323,
    sha256="a6ba905599bf81201897993447c21860c7192189f1ddff19a51e3ee961ad1a08",
)
PROBLEMS = ("cifar100_allcnnc", "cifar10_3c3d", "fmnist_2c2d", "tolstoi_char_rnn")
ACCURACY = Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1)


def read(clone: Path) -> Iterator[Curve]:
    for problem in PROBLEMS:
        for path in ORIGIN.inside(clone, f"{problem}/*/*/*.json"):
            run = ORIGIN.json(path)
            with ORIGIN.layout(path):
                yield _curve(problem, run)


def _curve(problem: str, run: dict) -> Curve:
    optimiser, rate, seed, values = (
        run[name] for name in ("optimizer", "learning_rate", "random_seed", "test_accuracies")
    )
    name, group = f"{problem}/{optimiser}/lr{rate:.3g}/seed{seed}", f"{problem}/{optimiser}"
    config = run["hyperparams"] | {
        "batch_size": run["batch_size"],
        "learning_rate": rate,
        "optimizer": optimiser,
        "seed": seed,
    }
    return Curve(name, range(len(values)), values, problem, group, ACCURACY, config, untrained=True)
