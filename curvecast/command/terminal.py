"""`curvecast forecast`: from files of runs to a table, JSON, bands or a picture."""

import argparse
import contextlib
import json
import math
import os
import sys
import time
import warnings
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np

from curvecast.command import planned
from curvecast.command.table import as_csv, check_output, notes, table, write_output
from curvecast.forecasting.api import Unlike
from curvecast.forecasting.api import forecast as forecast_runs
from curvecast.forecasting.epochs import axis
from curvecast.forecasting.finished_runs import EndedRun, FinishedRuns
from curvecast.forecasting.forecast import Forecast
from curvecast.forecasting.forecasts import Forecasts
from curvecast.forecasting.user_input import Seen
from curvecast.ground.errors import UserError, demand, printable
from curvecast.ground.progress import Progress
from curvecast.logs import direction, runs
from curvecast.logs.checked_points import Run

# -----------------------------------------------------------------------------------------------------------
# Logs that grow: when has one of them changed?


def changes(paths: list[str], seconds: float) -> Iterator[None]:
    """At once, and then whenever a file, or one that is read of a folder, has another size or time."""
    before = None
    while True:
        now = []
        for file in chain.from_iterable(map(_watched, paths)):
            with contextlib.suppress(OSError):  # it has gone in between, which is a change
                status = os.stat(file)
                now.append((file, status.st_size, status.st_mtime_ns))
        if now != before:
            before = now
            yield
        time.sleep(seconds)


def _watched(path: str) -> list[Path]:
    try:
        return runs.files_of(Path(path))
    except OSError:  # a folder of it goes just now
        return []


DAY = 86_400  # seconds
AT_ONCE = 100  # runs between two moves of the line that says how far it is
STDOUT = Path("-")


def forecast(options: argparse.Namespace) -> None:
    _check(options)
    shows_any_name()
    if options.watch is None:
        _once(options)
        return
    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        for _ in changes(options.files, options.watch):
            clear()
            try:
                _once(options)
            except UserError as error:  # the next check may succeed
                print(f"curvecast: {error}", file=sys.stderr)
            sys.stdout.flush()


def _check(options: argparse.Namespace) -> None:
    """Before the work: what cannot come out well."""
    runs.check(options.files)
    if options.watch is not None:
        many = "-o - writes one table, and --watch would write many: give -o a file"
        demand(options.output != STDOUT, many)
        demand("-" not in options.files, "standard input cannot be watched: give a file")
        for file in options.files:
            there = os.path.isfile(file) or os.path.isdir(file)  # a pipe can be read once
            demand(there, f"there is no file {file} to watch: check the name, or create it first")
        check_seconds("--watch", options.watch)
    both = "--schedule and --rate both say what the learning rate is: use one of them"
    demand(options.schedule is None or options.rate is None, both)
    known = options.schedule is not None or options.rate is not None
    unknown = "--log-steps knows no learning rate: leave --schedule or --rate out"
    demand(not (known and options.log_steps), unknown)
    planless = "--log-steps knows no planned end: give --horizon in place of --ends-at"
    demand(options.ends_at is None or not options.log_steps, planless)
    apart = "--best compares at one step, and with --log-steps each curve has a horizon of its own: give --horizon"
    demand(not (options.best and options.log_steps) or options.horizon is not None, apart)
    if options.rate is not None:
        again = "--rate reads the log once more: give a file in place of standard input"
        demand("-" not in options.files, again)
        too = "--rate names the learning rate: name the forecast values too, with --value"
        demand(options.value is not None, too)
    twice = options.output == STDOUT and options.json
    demand(not twice, "-o - and --json both write to standard output: use one of them")
    if options.output and options.output != STDOUT:
        check_output(options.output, options.files)


def check_seconds(option: str, told: float) -> None:
    seconds = "give the seconds between two checks, such as 10, and less than a day"
    demand(0 < told < DAY, f"{option} {told:g}: {seconds}")


def shows_any_name() -> None:
    """A terminal that cannot show a character shows a ?."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")


def clear() -> None:
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        print("\033[H\033[2J", end="")


def _once(options: argparse.Namespace) -> None:
    all_runs = _read(options)
    forecasts = forecast_all(all_runs, options)
    told = tell(forecasts, options.beat, bands=bool(options.json or options.output))
    for one, run in zip(told, all_runs, strict=True):
        one["warnings"] = [*one["warnings"], *run.doubts]
    paces = [run.pace for run in all_runs]
    if options.target is not None:
        triples = zip(told, forecasts, paces, strict=True)
        told = [
            one | {"when": run.when(options.target).to_dict() | {"seconds_a_step": pace}}
            for one, run, pace in triples
        ]
    if options.best:
        wins = forecasts.wins()
        order = np.argsort(-wins, kind="stable")
        told = [told[i] | {"prob_best": float(wins[i])} for i in order]
        forecasts, paces = Forecasts(forecasts[i] for i in order), [paces[i] for i in order]
    if options.output == STDOUT:
        sys.stdout.buffer.write(as_csv(told))  # UTF-8, as in a file, whatever the terminal
        if text := notes(forecasts, told):
            print(text, file=sys.stderr)  # it is no band, and bands go into a pipe
        return
    if options.output:
        write_output(options.output, forecasts, told)
    print(
        json.dumps({"runs": told}, allow_nan=False)
        if options.json
        else table(forecasts, told, options.target, paces)
    )


def _read(options: argparse.Namespace) -> list[Run]:
    """The runs of all files; whether less is better is asked of the names that stand in them."""
    nothing = options.files == ["-"] and sys.stdin.isatty()
    demand(not nothing, "give a file, or pipe one in: curvecast forecast --help has examples")
    growing = options.watch is not None
    read = [runs.read(file, growing=growing, **how(options)) for file in options.files]
    every = list(chain.from_iterable(read))
    if says_direction(options):
        direction.ask_one_kind([run.what for run in every])
    else:
        direction.ask([run.what for run in every], [run.name for run in every])
    return runs.together(options.files, read)


def logged_rate(options: argparse.Namespace, horizon: float) -> list[tuple[float, float]]:
    """From each step on, the rate that is logged there, up to the horizon; the other runs must have had the same so far."""
    named, growing = how(options) | {"value": options.rate}, options.watch is not None
    try:
        read = [runs.read(file, growing=growing, **named) for file in options.files]
    except UserError as error:
        raise UserError(f"--rate {options.rate}: {str(error).replace('--value', '--rate')}") from error
    furthest, *others = sorted(chain.from_iterable(read), key=lambda run: -run.steps[-1])
    last = furthest.steps[-1]
    ahead = f"the rate is logged up to step {last:.12g}, and the horizon is {horizon:.12g}"
    way = "give the rest with --schedule, or log a finished run too"
    demand(last >= horizon * (1 - 1e-9), f"--rate {options.rate}: {ahead}: {way}")
    rates = dict(zip(furthest.steps, furthest.values, strict=True))
    for run in others:
        same = all(math.isclose(rates.get(at, y), y) for at, y in zip(run.steps, run.values, strict=True))
        unlike = f"run '{printable(run.name)}' had another rate than '{printable(furthest.name)}'"
        demand(same, f"--rate {options.rate}: {unlike}: forecast them apart")
    first = min(rates)
    return [*([(0.0, rates[first])] if first > 0 else []), *rates.items()]


def how(options: argparse.Namespace) -> dict[str, str | None]:
    """Names of columns and keys, and how cells are written."""
    return {name: getattr(options, name) for name in ("run", "step", "value", "sep", "decimal")}


def says_direction(options: argparse.Namespace) -> bool:
    return bool(options.metric or options.bounds or options.minimise is not None)


def forecast_all(found: list[Run], options: argparse.Namespace) -> Forecasts:
    """All to the same horizon, with a progress bar where it takes long; bands of those that go on by those that finished."""
    seen = as_seen(found)
    log = options.log_steps
    calibrate = not (options.no_finished or log)
    plan = planned.plan(found, seen, options.horizon, options.ends_at, calibrate)
    horizon = options.horizon if log else plan.horizon  # scaling curves have one each
    ended = FinishedRuns([EndedRun(seen[i]) for i in plan.finished])
    going = sorted({*range(len(found))} - {*plan.finished})
    asked = {"bounds": bounds_of(options.bounds), "minimise": options.minimise, "weights": options.weights}
    asked["schedule"] = options.schedule if options.rate is None else logged_rate(options, plan.horizon)
    forecasts: dict[int, Forecast] = {}
    with warnings.catch_warnings(), Progress(len(found), "runs") as progress:
        warnings.simplefilter("ignore", Unlike)  # the table says it
        for group, more in ((plan.finished, None), (going, ended)):
            for start in range(0, len(group), AT_ONCE):
                some = group[start : start + AT_ONCE]
                told = forecast_runs(
                    [seen[i] for i in some], None, horizon, options.metric or "accuracy",
                    names=[found[i].name for i in some], finished=more, scale="log" if log else "linear", **asked,
                )  # fmt: skip
                forecasts |= dict(zip(some, told, strict=True))
                progress.done(len(some))
    return Forecasts(forecasts[i] for i in range(len(found)))


def as_seen(found: list[Run]) -> list[Seen]:
    """What was seen of each run. All steps of its file up to its last value say what an epoch is."""
    shared = {id(run.rows): run.rows for run in found}  # by all runs of a wide table
    distinct = {key: np.unique(rows) for key, rows in shared.items()}
    until = ((distinct[id(run.rows)], run.steps[-1]) for run in found)
    axes = (axis(steps[: steps.searchsorted(last, "right")]) for steps, last in until)
    pairs = zip(found, axes, strict=True)
    return [Seen(np.array(run.steps), np.array(run.values), own) for run, own in pairs]


def bounds_of(told: list[float | None] | None) -> tuple[float, float] | None:
    """None is no bound on that side."""
    if told is None:
        return None
    low, high = told
    return -math.inf if low is None else low, math.inf if high is None else high


def tell(forecasts: Forecasts, beat: float | None, bands: bool = True) -> list[dict]:
    """What JSON says of each run; without its bands what a table needs of that."""
    target = forecasts.best if beat is None else beat
    low, high = forecasts[0].bounds
    within = math.isfinite(target) and low <= target <= high
    demand(within, f"--beat {target:g}: give a number from {low:g} to {high:g}, the bounds of the metric")
    told = [
        run.to_dict() if bands else {"in_prior": run.in_prior, "warnings": run.warnings} for run in forecasts
    ]
    pairs = zip(told, forecasts, strict=True)
    return [one | {"prob_beats_best": run.prob_beats(target)} for one, run in pairs]
