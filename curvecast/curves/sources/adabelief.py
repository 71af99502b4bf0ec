"""AdaBelief: the test accuracy of three networks and nine optimisers on CIFAR-10. The rate drops by ten at epoch 150."""

from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.plain_pickle import objects
from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="adabelief_cifar10.csv.gz",
    source="adabelief_cifar10",
    licence="BSD-2-Clause",
    copyright="Copyright (c) 2021, Juntang Zhuang",
    citation="adabelief",
    repository="juntang-zhuang/Adabelief-Optimizer",
    commit="2855178eff6776762793f915ce2c615f776a1e4b",
    folder="PyTorch_Experiments/classification_cifar10/curve",
    megabytes=1,
    sha256="694a7a25eea07f6ff7951dc3a64cc4ec861b765f750d39b17f64a21c7de87aaa",
)
ACCURACY = Measure("test_accuracy", higher_is_better=True, step_unit="epochs", high=1)
HEADER = 3  # objects of the old torch format before the saved one: magic number, version, machine


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, "*-*-lr*"):
        with ORIGIN.layout(path):
            network, optimiser = path.name.split("-")[:2]
            values = [percent / 100 for percent in objects(path)[HEADER]["test_acc"]]
            config = {"arch": network, "optimizer": optimiser, "run": path.name}
            yield Curve(
                f"{network}/{optimiser}",
                range(1, len(values) + 1),
                values,
                "cifar10",
                f"cifar10/{network}",
                ACCURACY,
                config,
            )
