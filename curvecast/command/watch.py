"""`curvecast watch`: a folder of logs that grow, one line a run, ranked by the chance to win. It stops nothing itself."""

import argparse
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from curvecast.command import planned, stop_file, terminal
from curvecast.command.ranking import Ranking, Standing, unlike
from curvecast.command.table import PLAIN, aligned, counted, named, shows_blocks, sparkline
from curvecast.forecasting.in_words import percent, plus_minus
from curvecast.ground import whole_file
from curvecast.ground.errors import UserError
from curvecast.logs import direction
from curvecast.logs.checked_points import printable
from curvecast.logs.folder import SUFFIXES, Folder

HEAD = ["run", "wins", "observed", "step", "last", "at the horizon", "beats the best", "could stop", ""]
MOST_COMPLAINTS = 3  # shown; JSON has all


def watch(options: argparse.Namespace) -> None:
    _check(options)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="replace")
    how = {name: getattr(options, name) for name in ("run", "step", "value", "sep", "decimal")}
    folder = Folder(options.folder, how)
    metric = (options.metric or "accuracy", terminal.bounds_of(options.bounds), options.minimise)
    ranking = Ranking(
        metric, options.horizon, options.delta, options.least, ends_at=options.ends_at,
        calibrate=not options.no_finished,
    )  # fmt: skip
    if options.once:
        _refresh(folder, ranking, options)
        return
    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        while True:
            try:
                _refresh(folder, ranking, options)
            except UserError as error:  # the next check may succeed
                print(f"curvecast: {error}", file=sys.stderr, flush=True)
            time.sleep(options.every)


def _check(options: argparse.Namespace) -> None:
    if not os.path.exists(options.folder):
        raise UserError(f"there is no folder {options.folder} to watch: check the name, or create it first")
    if not 0 < options.every < terminal.DAY:
        raise UserError(
            f"--every {options.every:g}: give the seconds between two checks, such as 10, and less than a day"
        )
    if not 0 < options.delta < 1:
        raise UserError(f"--delta {options.delta:g}: give a probability between 0 and 1, such as 0.05")
    if options.ends_at is not None:
        planned.check(options.ends_at, options.horizon)
    if options.least < 1 or options.top < 1:
        raise UserError("--least and --top must be at least 1: give a whole number such as 5")
    if options.stop_file:
        _check_stop_file(options.stop_file)


def _check_stop_file(path: Path) -> None:
    if path.name.endswith(SUFFIXES) or "tfevents" in path.name:
        raise UserError(f"--stop-file {path} looks like a log: give it another name, such as hopeless.txt")
    if not os.path.isdir(path.parent) or os.path.isdir(path):
        raise UserError(f"--stop-file {path} cannot be written there: name a file in a folder that exists")
    whole_file.mode_of(path)


def _refresh(folder: Folder, ranking: Ranking, options: argparse.Namespace) -> None:
    """Says something where a log has changed."""
    if not folder.refresh():
        if options.once:
            raise UserError(f"{folder.path} contains no log that can be read: see curvecast watch --help")
        return
    runs = folder.runs
    if not runs and folder.left_out:
        raise UserError(next(iter(folder.left_out.values())))
    if not (options.metric or options.bounds or options.minimise is not None):
        direction.ask([run.what for run in runs])
    standings = ranking.of(runs)
    left_out = folder.left_out | ranking.left_out
    if not standings and left_out:
        raise UserError(next(iter(left_out.values())))
    if options.stop_file:
        stop_file.write(options.stop_file, [one.run.name for one in standings if one.hopeless])
    if options.json:
        print(json.dumps(told(standings, left_out), allow_nan=False), flush=True)
    else:
        _show(table(standings, left_out, options.top))


def _show(text: str) -> None:
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        print("\033[H\033[2J", end="")
    print(text if shows_blocks() else text.translate(PLAIN), flush=True)


def _complaint(name: str, text: str) -> str:
    """Some begin with the name already."""
    return text if text.startswith(f"{name}: ") else f"{name}: {text}"


def table(standings: list[Standing], left_out: dict[str, str], top: int) -> str:
    lines = [[*_cells(one), sparkline(one.run)] for one in standings[:top]]
    more = len(standings) - top
    parts = [aligned([HEAD, *lines])] if lines else []
    parts += [f"and {more:,} more; --top shows more lines"] if more > 0 else []
    parts += [_foot(standings)] if lines else []
    some = [_complaint(named(name), printable(text, 300)) for name, text in left_out.items()]
    if len(some) > MOST_COMPLAINTS:
        some = [
            *some[:MOST_COMPLAINTS],
            f"and {len(some) - MOST_COMPLAINTS:,} more that cannot be read; --json lists all",
        ]
    return "\n\n".join([*parts, *(["\n".join(some)] if some else [])])


def _cells(one: Standing) -> list[str]:
    run = one.run
    seen = [
        named(run.name),
        percent(one.wins),
        str(len(run.observed)),
        f"{run.observed_steps[-1]:g}",
        f"{run.observed[-1]:.4g}",
    ]
    if not len(run.steps):
        return [*seen, "finished" if one.finished else "has ended", "", ""]
    low, high = (side[-1] for side in run.interval(0.9))
    could = ("unusual: check it" if unlike(run) else f"saves {one.left:g}") if one.hopeless else ""
    return [*seen, plus_minus(float(run.median[-1]), float(high - low) / 2), percent(one.beats), could]


def _foot(standings: list[Standing]) -> str:
    """The sums."""
    hopeless = [one for one in standings if one.hopeless]
    coming, saved = sum(one.left for one in standings), sum(one.left for one in hopeless)
    horizon = max((one.run.steps[-1] for one in standings if len(one.run.steps)), default=None)
    if horizon is None:
        return "All runs have ended."
    share = f", {percent(saved / coming)} of the remaining steps" if hopeless else ""
    said = f"The horizon is step {horizon:g}. {len(hopeless):,} of {len(standings):,} runs could stop now{share}."
    finished = max(one.run.finished for one in standings)
    return said + (f"\nIntervals calibrated on {counted(finished)}." if finished else "")


def told(standings: list[Standing], left_out: dict[str, str]) -> dict[str, Any]:
    """One check, for scripts."""
    return {
        "time": round(time.time(), 3),
        "runs": [_one(one) for one in standings],
        "could_stop": [one.run.name for one in standings if one.hopeless],
        "steps_saved": sum(one.left for one in standings if one.hopeless),
        "steps_to_come": sum(one.left for one in standings),
        "left_out": left_out,
    }


def _one(one: Standing) -> dict[str, Any]:
    run = one.run
    end = {} if not len(run.steps) else {
        "horizon": float(run.steps[-1]), "median": float(run.median[-1]),
        "q05": float(run.quantile(0.05)[-1]), "q95": float(run.quantile(0.95)[-1]),
    }  # fmt: skip
    return {
        "name": run.name, "observed": len(run.observed), "step": float(run.observed_steps[-1]),
        "last": float(run.observed[-1]), "best": run.best, **end, "prob_best": one.wins,
        "prob_beats_best": one.beats, "could_stop": one.hopeless, "unlike": unlike(run), "steps_left": one.left,
        "finished": one.finished, "finished_runs": run.finished,
    }  # fmt: skip
