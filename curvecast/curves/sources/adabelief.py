"""AdaBelief: the test accuracy of three networks and nine optimisers on CIFAR-10. The rate drops by ten at epoch 150."""

from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.plain_pickle import objects
from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("adabelief")
ACCURACY = Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1)
HEADER = 3  # objects of the old torch format before the saved one: magic number, version, machine


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, "*-*-lr*"):
        with ORIGIN.layout(path):
            network, optimiser = path.name.split("-")[:2]
            values = [percent / 100 for percent in objects(path)[HEADER]["test_acc"]]
            config = {"arch": network, "optimizer": optimiser, "run": path.name}
            name, group = f"{network}/{optimiser}", f"cifar10/{network}"
            yield Curve(name, range(1, len(values) + 1), values, "cifar10", group, ACCURACY, config)
