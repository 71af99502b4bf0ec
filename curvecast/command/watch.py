"""`curvecast watch`: a folder of logs that grow, one line a run, ranked by the chance to win. It stops nothing itself."""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Sized
from pathlib import Path
from typing import Any

from curvecast.command import planned, terminal
from curvecast.command.ranking import Ranking, Standing
from curvecast.command.table import REACHES, aligned, drawn, foot, inserted, named, reaching, sparkline
from curvecast.forecasting.doubts import unlike
from curvecast.ground import whole_file
from curvecast.ground.errors import UserError, demand, printable
from curvecast.ground.progress import interval, percent
from curvecast.logs import direction
from curvecast.logs.folder import SUFFIXES, Folder
from curvecast.while_training.check import beats

# -----------------------------------------------------------------------------------------------------------
# The names of hopeless runs in a file, one a line, for a scheduler to read. Whole at any time.
#
# A line is what stands between the quotes of a JSON string, so that no name is two lines: `json.loads('"' + line + '"')`.


def write(path: Path, names: list[str]) -> None:
    whole_file.write(path, "".join(f"{escaped(name)}\n" for name in names).encode())


def escaped(name: str) -> str:
    """What does not print is written as JSON writes it."""
    return "".join(c if c.isprintable() and c not in '"\\' else json.dumps(c)[1:-1] for c in name)


HEAD = ["run", "wins", "observed", "step", "last", "at the horizon", "beats the best", "could stop", ""]
MOST_COMPLAINTS = 3  # shown; JSON has all


FAILED = 3  # exit status of --fail-on
Failure = dict[str, Any]


class NotYet(UserError):
    """What a later check may mend: a run that is not there, or cannot be read."""


def watch(options: argparse.Namespace) -> int:
    _check(options)
    terminal.shows_any_name()
    folder = Folder(options.folder, terminal.how(options))
    metric = (options.metric or "accuracy", terminal.bounds_of(options.bounds), options.minimise)
    ranking = Ranking(
        metric, options.horizon, options.delta, options.least, ends_at=options.ends_at,
        calibrate=not options.no_finished, doubtful=options.doubtful,
    )  # fmt: skip
    with contextlib.suppress(KeyboardInterrupt):  # the usual end
        while True:
            try:
                failed, ended = _look(folder, ranking, options)
                if failed:
                    print(json.dumps({"failed": failed}, allow_nan=False), flush=True)
                    return FAILED
                if options.once or (options.fail_on and ended):
                    return 0
            except UserError as error:
                if options.once or (options.fail_on and not isinstance(error, NotYet)):
                    raise  # a job that is to fail must not wait on a wrong option
                print(f"curvecast: {error}", file=sys.stderr, flush=True)
            time.sleep(options.every)
    return 0


def _check(options: argparse.Namespace) -> None:
    there = os.path.exists(options.folder)
    demand(there, f"there is no folder {options.folder} to watch: check the name, or create it first")
    terminal.check_seconds("--every", options.every)
    is_chance = 0 < options.delta < 1
    demand(is_chance, f"--delta {options.delta:g}: give a probability between 0 and 1, such as 0.05")
    if options.ends_at is not None:
        planned.check(options.ends_at, options.horizon)
    counts = options.least >= 1 and options.top >= 1
    demand(counts, "--least and --top must be at least 1: give a whole number such as 5")
    path = options.stop_file
    if path:
        is_log = path.name.endswith(SUFFIXES) or "tfevents" in path.name
        demand(not is_log, f"--stop-file {path} looks like a log: give it another name, such as hopeless.txt")
        can_be = os.path.isdir(path.parent) and not os.path.isdir(path)
        demand(can_be, f"--stop-file {path} cannot be written there: name a file in a folder that exists")
        whole_file.mode_of(path)


def _demand_some(runs: Sized, left_out: dict[str, str]) -> None:
    """Where all were left out, why the first one was."""
    if left_out and not runs:
        raise NotYet(next(iter(left_out.values())))


def _look(folder: Folder, ranking: Ranking, options: argparse.Namespace) -> tuple[list[Failure], bool]:
    """Says something where a log has changed.  -> what --fail-on asks for; have all runs ended that it is about?"""
    if not folder.refresh():
        nothing = "contains no log that can be read: see curvecast watch --help"
        demand(not options.once, f"{folder.path} {nothing}")
        return [], False
    runs, left_out = folder.runs, folder.left_out
    diverged = folder.diverged if "nan" in options.fail_on else {}
    failed: list[Failure] = [{"run": name, "fails": "nan", "says": said} for name, said in diverged.items()]
    if failed and not runs:
        return failed, False
    _demand_some(runs, left_out)
    ask = direction.ask_one_kind if terminal.says_direction(options) else direction.ask
    ask([run.what for run in runs])
    standings = ranking.of(runs)
    left_out |= ranking.left_out
    _demand_some(standings, left_out)
    if options.stop_file:
        write(options.stop_file, [one.run.name for one in standings if one.hopeless])
    baselines = [what.partition(":")[2] for what in options.fail_on if ":" in what]
    for name in set(baselines) - {one.run.name for one in standings}:
        why = (
            left_out.get(name)
            or f"there is no such run, but {', '.join(named(one.run.name) for one in standings[:12])}"
        )
        raise NotYet(f"--fail-on behind:{printable(name)}: {printable(why, 300)}")
    if options.json:
        print(json.dumps(told(standings, left_out, options.target), allow_nan=False), flush=True)
    else:
        text = table(standings, left_out, options.top, options.target)
        terminal.clear()
        print(drawn(text), flush=True)
    for what in options.fail_on:
        failed += failing(standings, what, options.delta, options.least)
    asked = [one.run for one in standings if one.run.name not in baselines]
    all_told = folder.whole and not ranking.left_out
    # of a log that has diverged what was read before stays, and goes on no more
    going = [run for run in asked if len(run.steps) and run.name.partition(": ")[0] not in folder.diverged]
    return failed, bool(asked) and all_told and not going


def failing(standings: list[Standing], what: str, delta: float, least: int) -> list[Failure]:
    """Which runs are hopeless, without gain, or behind another run; those that have diverged are no standings."""
    kind, _, baseline = what.partition(":")
    bests = {one.run.name: one.run.best for one in standings}
    failed = []
    for one in standings:
        run, says = one.run, ""
        going, judged = len(run.steps) > 0, len(run.observed) >= least
        if kind == "hopeless" and one.hopeless:
            says = f"{percent(one.beats)} to beat the best of all runs"
        elif kind == "no-gain" and going and judged and (chance := beats(run, run.best)) <= delta:
            says = f"{percent(chance)} to beat its own best, {run.best:.4g}"
        elif kind == "behind" and run.name != baseline:
            best = bests[baseline]
            behind = run.best > best if run.minimise else run.best < best
            if going and judged and (chance := beats(run, best)) <= delta and behind:
                says = f"{percent(chance)} to beat the best of {named(baseline)}, {best:.4g}"
            elif not going and behind:
                says = f"has ended at its best, {run.best:.4g}, and {named(baseline)} has {best:.4g}"
        if says:
            says += "".join(f"; but {doubt}" for doubt in run.warnings if going)
            failed.append({"run": run.name, "fails": what, "says": says})
    return failed


def table(standings: list[Standing], left_out: dict[str, str], top: int, target: float | None = None) -> str:
    shown = standings[:top]
    lines, head = [[*_cells(one), sparkline(one.run)] for one in shown], HEAD
    if target is not None:
        cells = reaching([one.run for one in shown], target, [one.pace for one in shown])
        head, *lines = (inserted(*pair) for pair in zip([HEAD, *lines], cells, strict=True))
    more = len(standings) - top
    parts = [aligned([head, *lines])] if lines else []
    parts += [f"and {more:,} more; --top shows more lines"] if more > 0 else []
    if lines:
        hopeless = [one for one in standings if one.hopeless]
        coming, saved = sum(one.left for one in standings), sum(one.left for one in hopeless)
        share = f", {percent(saved / coming)} of the remaining steps" if hopeless else ""
        said = f". {len(hopeless):,} of {len(standings):,} runs could stop now{share}."
        said += "" if target is None else f"\n{REACHES.format(target)}"
        parts.append(foot((one.run for one in standings), said) or "All runs have ended.")
    doubts = [(one.run.name, doubt) for one in standings for doubt in one.run.warnings if len(one.run.steps)]
    parts += [_first(doubts, "more such warnings")] if doubts else []
    parts += [_first(list(left_out.items()), "more that cannot be read")] if left_out else []
    return "\n\n".join(parts)


def _first(complaints: list[tuple[str, str]], others: str) -> str:
    """Of names and what is said of each as many as a reader takes in, a line each."""
    lines = []
    for name, text in complaints[:MOST_COMPLAINTS]:
        said = printable(text, 300)  # some begin with the name already
        lines.append(said if said.startswith(f"{named(name)}: ") else f"{named(name)}: {said}")
    if (more := len(complaints) - MOST_COMPLAINTS) > 0:
        lines.append(f"and {more:,} {others}; --json lists all")
    return "\n".join(lines)


def _cells(one: Standing) -> list[str]:
    run = one.run
    step, last = f"{run.observed_steps[-1]:g}", f"{run.observed[-1]:.4g}"
    seen = [named(run.name), percent(one.wins), str(len(run.observed)), step, last]
    if not len(run.steps):
        return [*seen, "finished" if one.finished else "has ended", "", ""]
    low, high = (float(side[-1]) for side in run.interval(0.9))
    could = f"saves {one.left:g}" if one.hopeless else "doubtful" if run.warnings else ""
    return [*seen, interval(low, float(run.median[-1]), high), percent(one.beats), could]


def told(standings: list[Standing], left_out: dict[str, str], target: float | None = None) -> dict[str, Any]:
    """One check, for scripts."""
    return {
        "time": round(time.time(), 3),
        "runs": [_one(one, target) for one in standings],
        "could_stop": [one.run.name for one in standings if one.hopeless],
        "steps_saved": sum(one.left for one in standings if one.hopeless),
        "steps_to_come": sum(one.left for one in standings),
        "left_out": left_out,
    }


def _one(one: Standing, target: float | None) -> dict[str, Any]:
    run = one.run
    when = {} if target is None else {"when": run.when(target).to_dict() | {"seconds_a_step": one.pace}}
    end = {} if not len(run.steps) else {
        "horizon": float(run.steps[-1]), "median": float(run.median[-1]),
        "q05": float(run.quantile(0.05)[-1]), "q95": float(run.quantile(0.95)[-1]),
    }  # fmt: skip
    return {
        "name": run.name, "observed": len(run.observed), "step": float(run.observed_steps[-1]),
        "last": float(run.observed[-1]), "best": run.best, **end, "prob_best": one.wins,
        "prob_beats_best": one.beats, "could_stop": one.hopeless, "unlike": unlike(run), "warnings": run.warnings,
        "steps_left": one.left, "finished": one.finished, "finished_runs": run.finished, **when,
    }  # fmt: skip
