"""Two curves of LCBench that its notebook prints: a loss, and the accuracy of the best of 2,000 configurations.

52 entries each: 0 is the untrained network, 51 an extra evaluation at the end.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="lcbench_two_curves.csv.gz",
    source="lcbench_notebook",
    licence="Apache-2.0",
    copyright="The authors of LCBench",
    citation="lcbench",
    repository="automl/LCBench",
    commit="8de69dc0e7f7b4baee7129d599e74cc3e09b6d06",
    folder="notebooks",
    megabytes=1,
    sha256="2fe7074a2909baf05ada6e0030de7f99d3766d9ded658c0ec09c508e6e8935de",
)
UNIT = "epochs (0 = untrained; 51 = extra final evaluation)"
LOSS = Measure("train_loss", higher_is_better=False, step_unit=UNIT)
ACCURACY = Measure("val_accuracy", higher_is_better=True, step_unit=UNIT, high=1)
TITLE = "Example loss log"


def read(clone: Path) -> Iterator[Curve]:
    (path,) = ORIGIN.inside(clone, "API Example.ipynb")
    cells = ORIGIN.json(path)
    with ORIGIN.layout(path):
        losses, percents = _printed(cells["cells"])[:2]
        config: dict = {"config_id": 0, "tag": "Train/loss"}
        steps = range(len(losses))
        yield Curve("higgs/config0/train_loss", steps, losses, "higgs", "higgs", LOSS, config, untrained=True)
        values = [percent / 100 for percent in percents]
        config = {"config": "best peak accuracy of 2000", "tag": "Train/val_accuracy"}
        yield Curve(
            "higgs/best/val_accuracy", steps, values, "higgs", "higgs", ACCURACY, config, untrained=True
        )


def _printed(cells: list[dict]) -> list[list[float]]:
    """The lists that the cell printed which says so."""
    texts = [
        "".join(output["text"]) for cell in cells for output in cell.get("outputs", []) if "text" in output
    ]
    (text,) = (text for text in texts if TITLE in text)
    return [ast.literal_eval(line.strip()) for line in text.splitlines() if line.strip().startswith("[")]
