"""Cases of the rows as pages name them."""

from curvecast.curves.outside_prior import OWN
from reproduce._press.where import Rows

TITLES = {  # of a case, where a page would not understand its name in the rows
    OWN: "unchanged", "loss, not turned": "loss, falling", "in percent": "percentages", "spikes": "outliers",
    "all 20": "epochs 1 to 20", "first 10": "epochs 1 to 10", "without the first five": "epochs 6 to 20",
    "every second": "every second epoch", "every fifth": "every fifth epoch", "every tenth": "every tenth epoch (10 and 20)",
    "a random half": "a random half of the epochs", "the last alone": "epoch 20 alone",
    "asked: between every second": "every second, forecast between them",
    "asked: the first five": "epochs 6 to 20, forecast of 1 to 5", "every epoch, asked beyond 100": "every epoch, beyond 100",
}  # fmt: skip
COVERAGE = "coverage of the 90 % interval"


def named(rows: Rows) -> Rows:
    return {table: frame.replace({"case": TITLES}) for table, frame in rows.items()}
