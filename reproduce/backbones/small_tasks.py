"""Which backbone can recall, copy and induce?

Backbones with as many parameters learn three tasks of tokens, each of which needs another kind of memory. All train on the
same sequences, fresh in every step. For each backbone and task the better of two rates is chosen, in half as many steps, with
a seed that is used for nothing else. Backbones that recall few values train again, with four times the steps, and some
learn to copy from much further away.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from curvecast.ground.config import later
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, file_name, style, there, where
from reproduce.backbones import _token_tasks
from reproduce.backbones._token_tasks import ALL_TASKS, FAR, ROWS, TASKS, Training, commonest, drawn
from reproduce.pictures.panels import panels

ELMAN, LSTM, ATTENTION, S4, H3, MAMBA, _, LINEAR, DELTA = ROWS
COUNTING = "counts values"  # answers the value that was shown most often
TITLES = {COUNTING: "most frequent value"}  # as figures and tables name it
LONGER_TIMES = 4
LONGER = (
    *(("recall", name) for name in (ELMAN, LSTM, S4, H3, MAMBA, LINEAR)),  # which recalled fewer at first
    ("induction", LINEAR), *((FAR, name) for name in (ATTENTION, S4, MAMBA)),
)  # fmt: skip
COLOURS = {1: "small", 2: "medium", 4: "large"}  # by the length of a sequence
SEED = 100  # of the trainings that choose a rate
STOPWATCHES = ("rows.seconds", "longer.seconds")
TABLES = {
    "rows": ("backbone", "task", "seed", "times", "width", "parameters", "rate", "seconds", "right"),
    "rates": ("backbone", "task", "rate", "right"),
    "longer": ("backbone", "task", "seed", "times", "width", "parameters", "rate", "seconds", "right"),
}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = ROWS
    seeds: int = 3
    rates: tuple[float, ...] = (3e-3, 1e-2)
    training: Training = Training()
    longer: tuple[tuple[str, str], ...] = later(LONGER)  # where there is more than one rate to choose from


SCALES = {
    "smoke": Config(seeds=2, training=Training(2_000, 4, 4, scored=10), longer=()),
    "laptop": Config(("transformer, decoder", "S4, HiPPO"), 1, (1e-2,), Training(steps=60)),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = dict.fromkeys(("longer", "parts"), "the same with more steps; a test measures one")


def parts(config: Config) -> dict[str, dict[str, Any]]:
    each = [("", 1, task, row) for task in TASKS for row in config.rows]
    each += [("longer-", LONGER_TIMES, *one) for one in config.longer if len(config.rates) > 1]
    return {file_name(COUNTING): {}} | {
        f"{begin}{file_name(task)}-{file_name(row)}": {"task": task, "row": row, "times": times}
        for begin, times, task, row in each
    }


def measure(config: Config, task: str | None, row: str, times: int) -> Rows:
    """`times`: how many times the usual steps; without a task the baseline is measured."""
    if task is None:
        return {"rows": pd.DataFrame(_counted(config))}
    training = replace(config.training, steps=times * config.training.steps)
    near = "copying" if task == FAR else task
    tried = [(rate, _tried(config, training, row, near, rate)) for rate in config.rates]
    rates = pd.DataFrame(tried, columns=["rate", "right"]).assign(backbone=row, task=near)
    rate = float(rates.loc[rates["right"].fillna(0).idxmax(), "rate"])
    rows = pd.DataFrame(_trained(training, row, task, rate, config.seeds))
    return {"rows": rows, "rates": rates} if times == 1 else {"longer": rows}


def _tried(config: Config, training: Training, name: str, task: str, rate: float) -> float:
    """The share of right answers with this rate, in half of the steps; NaN where there is only one rate to choose from."""
    if len(config.rates) == 1:
        return float("nan")
    half = replace(training, steps=training.steps // 2)
    net = _token_tasks.new(name, TASKS[task], half, SEED)
    _token_tasks.train(net, TASKS[task], half, rate, SEED)
    return _token_tasks.right(net, TASKS[task], SEED, half.scored)


def _trained(
    training: Training, name: str, task: str, rate: float, seeds: int
) -> Iterator[dict[str, object]]:
    """A line for each seed and length."""
    what, width = ALL_TASKS[task], _token_tasks.width_of(name, training.parameters)
    size = {"width": width, "parameters": _token_tasks.parameters(name, width)}
    for seed in range(seeds):
        net = _token_tasks.new(name, what, training, seed)
        seconds = round(_token_tasks.train(net, what, training, rate, seed), 1)
        about = {"backbone": name, "task": task, "seed": seed} | size | {"rate": rate, "seconds": seconds}
        for times in what.times:
            right = _token_tasks.right(net.eval(), what, seed, training.scored, times)
            yield about | {"times": times, "right": right}


def _counted(config: Config) -> Iterator[dict[str, object]]:
    """The baseline that answers the most frequent value, without reading the order of a sequence."""
    for seed, (name, task) in product(range(config.seeds), TASKS.items()):
        for times in task.times:
            tokens, answers = drawn(task, seed, _token_tasks.SCORED, config.training.scored, times)
            score = round(float((commonest(tokens, task.values) == answers).float().mean()), 4)
            yield {"backbone": COUNTING, "task": name, "seed": seed, "times": times, "width": 0, "parameters": 0,
                   "rate": 0.0, "seconds": 0.0, "right": score}  # fmt: skip


Asked = tuple[str, str, int, int]  # backbone, task; length of sequences and number of steps, × the usual


def by_seed(rows: Rows) -> dict[Asked, pd.Series]:
    """The share of right answers, of each seed."""
    return {
        (*key, steps): own.set_index("seed")["right"]
        for table, steps in (("rows", 1), ("longer", LONGER_TIMES))
        for key, own in rows[table].groupby(["backbone", "task", "times"])
    }


def estimates(rows: Rows) -> Estimates:
    """{Asked: share of right answers} and by claim the difference of two such shares; seeds vary."""
    right = defaultdict(lambda: pd.Series(dtype=float), by_seed(rows))
    more = {
        "correcting_recalls_more": right[DELTA, "recall", 1, 1] - right[LINEAR, "recall", 1, 1],
        "mamba_goes_further": right[MAMBA, "induction", 4, 1] - right[ATTENTION, "induction", 4, 1],
    }
    shares = there({asked: Interval.of_mean(seeds) for asked, seeds in right.items()})
    leads = there({name: Interval.of_mean(lead) for name, lead in more.items()})
    return {asked: share.of_share() for asked, share in shares.items()} | leads


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """A panel for each task, a point for each seed; where a task has several lengths, the longest is the lowest."""
    names = [*config.rows, COUNTING][::-1]
    figure, axes = panels(TASKS, (9.4, 1.3 + 0.27 * len(names)), sharey=True, sharex=True)
    for axis, (name, task) in zip(axes, TASKS.items(), strict=True):
        for place, times in enumerate(task.times):
            below = 0.22 * (place - (len(task.times) - 1) / 2)
            colour = style.colour(COLOURS[times] if len(task.times) > 1 else "ours")
            mine = where(rows["rows"], task=name, times=times)
            at = [names.index(backbone) - below for backbone in mine["backbone"]]
            axis.plot(100 * mine["right"], at, ".", markersize=7, color=colour, label=f"{times}×")
        axis.axvline(100 / task.values, color=style.ink(), linewidth=1, linestyle=":")
        axis.set(xlim=(-3, 103), xlabel="right answers, %\n(right is better)")
        axis.grid(axis="y", alpha=0.3)
    axes[0].set_yticks(range(len(names)), [TITLES.get(name, name) for name in names])
    title = "length of the sequence, relative to training"
    axes[-1].legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, title=title, fontsize=9)
    return {"right": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    right, lines = by_seed(rows), []
    columns = {
        (task, times, 1): f"{task}, %" if times == 1 else f"{task}, {times}× length"
        for task in TASKS for times in TASKS[task].times
    } | {(task, 1, LONGER_TIMES): f"{task}, 4× the steps" for task in ("recall", "induction", FAR)}  # fmt: skip
    for name in (*config.rows, COUNTING):
        if (mine := where(rows["rows"], backbone=name)).empty:
            continue
        first = mine.iloc[0]
        size = {"width": f"{first['width']}", "parameters": f"{first['parameters']:,}"}
        size = dict.fromkeys(size, "") if name == COUNTING else size
        cells = {title: in_cell(right.get((name, *asked))) for asked, title in columns.items()}
        lines.append({"backbone": TITLES.get(name, name)} | size | cells)
    return {"right": pd.DataFrame(lines)}


def in_cell(right: pd.Series | None) -> str:
    """The mean, and the lowest seed."""
    return "" if right is None else f"{100 * right.mean():.1f} ({100 * right.min():.1f})"


def claims() -> list[Claim]:
    """Which backbone solves which task, as the papers say that introduced the tasks."""
    nearly_all = AtLeast(0.95)
    return [
        Claim("attention_recalls", "Does attention recall nearly all values by their key?",
              (ATTENTION, "recall", 1, 1), nearly_all, "%"),
        Claim("elman_forgets", "Does Elman’s network recall most values by their key?",
              (ELMAN, "recall", 1, 1), Above(0.5), "%"),
        Claim("h3_recalls", "Does H3 recall nearly all values by their key?",
              (H3, "recall", 1, 1), nearly_all, "%"),
        Claim("h3_recalls_later", "After four times as many steps, does H3 recall nearly all values by their key?",
              (H3, "recall", 1, LONGER_TIMES), nearly_all, "%"),
        Claim("correcting_recalls_more",
              "Does DeltaNet, which corrects its state, recall more values than linear attention, which only adds to it?",
              "correcting_recalls_more", Above(0), "%"),
        Claim("mamba_copies", "Does Mamba copy nearly all values from among blanks?",
              (MAMBA, "copying", 1, 1), nearly_all, "%"),
        Claim("mamba_induces_further", "At four times the length of its training, does Mamba still solve induction "
              "in nearly all sequences?", (MAMBA, "induction", 4, 1), nearly_all, "%"),
        Claim("mamba_goes_further",
              "At four times the length of training, does Mamba solve induction more often than attention with RoPE?",
              "mamba_goes_further", Above(0), "%"),
    ]  # fmt: skip
