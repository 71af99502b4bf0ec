"""What do real learning curves look like? About a thousand that anyone can train."""

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure
from tqdm import tqdm

from curvecast.curves.factory import factory, plan, tasks
from curvecast.curves.factory.measured import Measured
from curvecast.curves.factory.plan import Run
from reproduce._press.claim import Above, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
from reproduce.new_data import _kinds
from reproduce.new_data._kinds import Pair
from reproduce.new_data.own_curves import gallery
from reproduce.protocols.own_runs import own_runs


@dataclass(frozen=True)
class Config:
    """How much of the plan is trained. What is trained at one scale is trained at the larger ones, too."""

    tasks: tuple[str, ...] = tuple(tasks.TASKS)  # on which networks are trained in banks
    banks: int = 4  # of each task
    abreast: int = 20  # networks of a bank
    sgd: int = 50
    mlp: int = 20
    histogram: int = 30
    boosting: int = 40
    ada: int = 30
    forest: int = 50
    sizes: int = 80
    steps: int = 100  # epochs or trees
    seed: int = 0


SCALES = {
    "smoke": Config(banks=1, abreast=2, sgd=3, mlp=1, histogram=1, boosting=1, ada=1, forest=3, sizes=3, steps=20),
    "laptop": Config(banks=1, abreast=15, sgd=15, mlp=5, histogram=10, boosting=15, ada=10, forest=15, sizes=30),
    "paper": Config(),
}  # fmt: skip

DIVERGES = "networks at rates of 8 and above diverge, and no two kinds of chip agree on how"
TOLERANCES = {"rows.loss": (0.05, DIVERGES), "rows.accuracy": (0.02, DIVERGES)}

LABEL_FREE = {"ends_lower": "a share of all runs, of which each group is one vote, whatever it trained"}
TABLES = {
    "runs": ("run", "learner", "task", "group", "seed", "x", "classes", "guess", "broke", "settings"),
    "rows": ("run", "step", "accuracy", "loss"),  # step 0: the untrained network
}


def parts(config: Config) -> list[str]:
    return [*(f"networks-{task}" for task in config.tasks), *plan.SETTINGS, "sizes"]


def measure(config: Config, part: str) -> Rows:
    with factory.one_thread():
        found = list(_trained(config, part))
    return {
        "runs": pd.DataFrame([_settings(run, curves) for run, curves in found]),
        "rows": pd.concat([_points(run, curves) for run, curves in found], ignore_index=True),
    }


def banks(config: Config, part: str) -> list[list[Run]]:
    """The runs of a part; those of one bank are trained side by side."""
    learner, _, task = part.partition("-")
    if learner == "networks":
        return plan.networks(task, config.banks, config.abreast, config.seed, config.steps)
    if learner == "sizes":
        return [[run] for run in plan.sizes(config.sizes, config.seed)]
    return [[run] for run in plan.single_runs(learner, getattr(config, learner), config.seed, config.steps)]


def _trained(config: Config, part: str) -> Iterator[tuple[Run, Measured]]:
    shown = tqdm(banks(config, part), desc=part, disable=not sys.stderr.isatty(), dynamic_ncols=True)
    for bank in shown:
        side_by_side = bank[0].learner == "networks"
        yield from zip(
            bank, factory.train_bank(bank) if side_by_side else [factory.train(bank[0])], strict=True
        )


def _settings(run: Run, curves: Measured) -> dict[str, object]:
    split = tasks.split(run.task, run.seed)
    return {
        "run": run.name, "learner": run.learner, "task": run.task, "group": run.group, "seed": run.seed, "x": run.x,
        "classes": split.classes, "guess": round(split.guess(), 4), "broke": curves.broke,
        "settings": json.dumps(run.settings, separators=(",", ":")),
    }  # fmt: skip


def _points(run: Run, curves: Measured) -> pd.DataFrame:
    """Rounded to less than a held-out row, and to four digits of the loss."""
    points = pd.DataFrame(
        {"run": run.name, "step": curves.steps, "accuracy": curves.accuracy, "loss": curves.loss}
    )
    if curves.untrained is not None:
        first = pd.DataFrame([{"run": run.name, "step": 0, **curves.untrained._asdict()}])
        points = pd.concat([first, points], ignore_index=True)
    points["loss"] = [float(f"{loss:.4g}") for loss in points["loss"]]
    return points.round({"accuracy": 4})


def draw(rows: Rows) -> dict[str, Figure]:
    return {"gallery": gallery.gallery(_pairs(rows))} if rows else {}


def tabulate(rows: Rows) -> Rows:
    if not rows:
        return {}
    pairs = _pairs(rows, least=1)
    return {what + "s": gallery.kinds_by(pairs, what) for what in ("learner", "task")}


def claims(rows: Rows) -> list[Claim]:
    pairs = _pairs(rows) if rows else []
    epochs = [pair for pair in pairs if pair.accuracy.x == "epoch"]
    return [
        Claim("ends_lower", "Do more than a few of our runs end below their first accuracy, which no curve of the "
              "paper’s prior does before noise is added?", _share(pairs, _kinds.ends_lower), Above(0.05), "%"),
        Claim("overfits", "Do many of our runs over epochs end with a log-loss more than a tenth above their best?",
              _share(epochs, _kinds.overfits), Above(0.25), "%"),
        Claim("takes_off_late", "Do some of our runs over epochs start to learn only after the first tenth of the run?",
              _share(epochs, lambda pair: _kinds.kind(pair) == "late"), Above(0.01), "%"),
    ]  # fmt: skip


def _pairs(rows: Rows, least: int = 20) -> list[Pair]:
    return _kinds.pairs(own_runs(rows, least=least))


def _share(pairs: list[Pair], holds: Callable[[Pair], bool]) -> Interval | None:
    """The share of runs, from one value for each group, so that near copies count once."""
    found = pd.DataFrame({"group": p.accuracy.group, "holds": float(holds(p))} for p in pairs)
    share = Interval.of_mean(found.groupby("group")["holds"].mean()) if len(found) else None
    return share and share.of_share()
