"""DeepOBS: three optimisers on a grid of 36 learning rates, and nine more seeds at the best one."""

from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("deepobs")
PROBLEMS = ("cifar100_allcnnc", "cifar10_3c3d", "fmnist_2c2d", "tolstoi_char_rnn")
SETTINGS = ("optimizer", "learning_rate", "random_seed", "batch_size")
ACCURACY = Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1)


def read(clone: Path) -> Iterator[Curve]:
    for problem in PROBLEMS:
        for path in ORIGIN.inside(clone, f"{problem}/*/*/*.json"):
            run = ORIGIN.json(path)
            with ORIGIN.layout(path):
                optimiser, rate, seed, size = (run[name] for name in SETTINGS)
                told = {"batch_size": size, "learning_rate": rate, "optimizer": optimiser, "seed": seed}
                name, group = f"{problem}/{optimiser}/lr{rate:.3g}/seed{seed}", f"{problem}/{optimiser}"
                values, config = run["test_accuracies"], run["hyperparams"] | told
                epochs = range(len(values))
                yield Curve(name, epochs, values, problem, group, ACCURACY, config, untrained=True)
