"""LCDB 1.1: the error of classifiers against the size of their training set, the mean over up to 25 splits.

Of its 265 data sets 117 are used, chosen by a hash of their OpenML id; the dummy classifier is skipped.
"""

from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path

from curvecast.curves.sources import origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = origin.of("lcdb11")
ERROR = Measure("validation_error_rate", higher_is_better=False, step_unit="training-set size", high=1)
MEAN, VALIDATION = 0, 1  # indices in [learner][mean, standard error][size][train, validation, test]


def read(clone: Path) -> Iterator[Curve]:
    meta, names = (ORIGIN.json(*ORIGIN.inside(clone, f"{name}.json")) for name in ("meta", "names"))
    paths = sorted(ORIGIN.inside(clone, "er/*.json"), key=lambda path: int(path.stem))
    for path in paths:
        if int(sha1(f"lcdb11-{path.stem}".encode()).hexdigest(), 16) % 10 >= 5:
            continue
        learners = ORIGIN.json(path)
        with ORIGIN.layout(path):
            for learner, stats in zip(meta["learners"], learners, strict=True):
                if learner != "DummyClassifier":
                    errors = [splits[VALIDATION] for splits in stats[MEAN]]
                    yield from _curve(path.stem, names[path.stem], learner, meta["anchors"], errors)


def _curve(number: str, dataset: str, learner: str, sizes: list[int], errors: list) -> Iterator[Curve]:
    """No curve if nothing was measured, or if a size in between is missing."""
    measured = [place for place, error in enumerate(errors) if error is not None]
    if measured and len(measured) == measured[-1] - measured[0] + 1:
        config = {"dataset": dataset, "learner": learner, "openml_id": int(number)}
        yield Curve(
            f"{number}/{learner.replace(' ', '')}", [sizes[i] for i in measured], [errors[i] for i in measured],
            f"openml-{number} {dataset}", f"openml-{number}", ERROR, config,
        )  # fmt: skip
