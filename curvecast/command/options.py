"""The commands, their options and how their help begins: as data, so that nothing heavy is imported for it."""

import argparse
from pathlib import Path
from typing import Any, NamedTuple

Option = tuple[str, dict[str, Any]]  # its flags, and what argparse is told of it

FAULTS = ("hopeless", "nan", "no-gain", "behind")  # of --fail-on
METRICS = ("accuracy", "percent", "error", "loss")  # of normalise.py, which is not imported for a help text


def bound(text: str) -> float | None:
    """A number, or none: -inf would look like an option."""
    try:
        return None if text.lower() == "none" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor the word none") from None


def separator(text: str) -> str:
    """Of cells; what a shell does not easily pass has a name."""
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text)


def fault(text: str) -> str:
    kind, _, run = text.partition(":")
    if text in FAULTS[:-1] or (kind == FAULTS[-1] and run):
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is none of {', '.join(FAULTS[:-1])} and behind:RUN")


def cutoffs(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of epochs such as 5,10,20") from None


FORECAST = """Forecast every run in one or more files: its value at the horizon, with an interval.

A file is wide (a column `step` and one column for each run) or long (columns run,
step, value). Steps may have any unit; an empty cell is a missing value. With several
files, runs are named after their file, as in `a.csv: run 1`. If a file is ambiguous or
cannot be read, one sentence says why, and the exit status is 2.

examples:
  curvecast forecast runs.csv
  curvecast forecast runs.csv --metric percent --horizon 200 --best
  curvecast forecast runs.csv --ends-at 100    calibrate on runs that reached step 100
  curvecast forecast scores.tsv --bounds none 500 --json > forecast.json
  curvecast forecast trainer_state.json --value eval_accuracy
  cut -d, -f1,4 runs.csv | curvecast forecast -o run.svg
  curvecast forecast runs.csv -o - | grep '^run 1,'
  curvecast forecast monday/log.csv tuesday/log.csv --best
  curvecast forecast tb_logs/ --value val/accuracy --watch 10
  curvecast forecast runs.csv --target 0.9     when will each run reach it?
  curvecast forecast runs.csv --schedule 1:0.1,81:0.01    the rate will drop
  curvecast forecast loss_by_tokens.csv --metric loss --log-steps --horizon 1e11
"""

# of how a log is read and of what is asked, the same for both
SHARED: list[Option] = [
    ("--horizon", {"type": float, "metavar": "STEP",
                   "help": "the last step to forecast, for all runs (default: the planned end, if it is known; else "
                           "100 epochs or twice as far as the longest run, whichever is later)"}),
    ("--ends-at", {"type": float, "metavar": "STEP",
                   "help": "the last planned step: runs that have reached it count as finished, and the intervals of "
                           "the others are calibrated on them (default: from the log, if it says)"}),
    ("--no-finished", {"action": "store_true", "help": "do not calibrate intervals on finished runs"}),
    ("--target", {"type": float, "metavar": "VALUE",
                  "help": "say when a value this good will be reached: the chance up to the horizon, and by which step"}),
    ("--metric", {"choices": METRICS,
                  "help": "0 to 1; 0 to 100; 0 to 1, lower is better; 0 and above, lower is better (default accuracy)"}),
    ("--bounds", {"type": bound, "nargs": 2, "metavar": ("LOW", "HIGH"),
                  "help": "lowest and highest possible value; one of them may be none"}),
    ("--minimise", {"action": argparse.BooleanOptionalAction, "default": None,
                    "help": "lower is better (default: as for the metric)"}),
    ("--run", {"metavar": "NAME", "help": "the column, or JSON key, that names the run"}),
    ("--step", {"metavar": "NAME", "help": "the column, or JSON key, of the step"}),
    ("--value", {"metavar": "NAME", "help": "the column, JSON key or TensorBoard tag of the value"}),
    ("--sep", {"type": separator, "metavar": "CHAR", "help": "the separator of cells (default: detected)"}),
    ("--decimal", {"choices": (".", ","), "default": ".", "help": "the decimal mark, a point or a comma (default: a point)"}),
]  # fmt: skip
FORECAST_OPTIONS: list[Option] = [
    ("files", {"nargs": "*", "default": ["-"], "metavar": "FILE",
               "help": "CSV, TSV, JSON, TensorBoard event files or a folder of them; - or nothing: standard input"}),
    *SHARED,
    ("--best", {"action": "store_true", "help": "rank the runs by their chance to be the best at the horizon"}),
    ("--beat", {"type": float, "metavar": "VALUE",
                "help": "show the chance to beat this value (default: the best of all runs so far)"}),
    ("--json", {"action": "store_true", "help": "print JSON instead of a table"}),
    ("-o --output", {"type": Path, "metavar": "FILE",
                     "help": "also write the intervals to a .csv or .json, or a picture to a .svg or .png; -: write "
                             "them as CSV to standard output instead of the table"}),
    ("--watch", {"type": float, "nargs": "?", "const": 2.0, "metavar": "SECONDS",
                 "help": "check the files every SECONDS (default 2), and print again when one has changed"}),
    ("--log-steps", {"action": "store_true",
                     "help": "scaling curves: forecast by logarithms of steps and of the distance from the best value; "
                             "estimates the limit and the exponent too (default horizon: twice the last step)"}),
    ("--schedule", {"metavar": "RATES",
                    "help": "the planned learning rate: constant, linear or cosine (to zero at the horizon), or the steps at "
                            "which it changes: 1:0.1,81:0.01"}),
    ("--rate", {"metavar": "NAME",
                "help": "the column, JSON key or TensorBoard tag of the logged learning rate: a run that has come to the "
                        "horizon has the plan of all"}),
    ("--weights", {"metavar": "FILE", "help": "released (0.2, the default), planned (the default with a schedule), or a "
                                            ".safetensors file"}),
]  # fmt: skip

WATCH = """Follow a folder of logs while trainings write to them. The table has one line per run,
ranked by its chance to be the best at the horizon, and says which runs could stop now.

A run could stop when no later step has a chance of more than --delta to beat the best
value of all runs so far. A run that has reached the planned end has finished, and the
intervals of the others are calibrated on it. This command stops nothing: --stop-file
writes the names for a scheduler to read, one per line. Logs are CSV, TSV, JSON, JSON
lines, TensorBoard events, trainer_state.json, files of Weights & Biases, and folders
and databases of MLflow.

examples:
  curvecast watch runs/
  curvecast watch runs/ --metric loss --value eval_loss --horizon 50000
  curvecast watch mlruns/mlflow.db --value val_accuracy --once
  curvecast watch runs/ --json | jq -c .could_stop
  curvecast watch runs/ --ends-at 100          calibrate on runs that reached step 100
  curvecast watch runs/ --every 60 --stop-file hopeless.txt
  curvecast watch runs/ --once --fail-on nan --fail-on behind:baseline.csv; test $? -eq 3 && scancel $JOB
"""

WATCH_OPTIONS: list[Option] = [
    ("folder", {"type": Path, "metavar": "FILE", "help": "a folder of logs, or a single log or database"}),
    *SHARED,
    ("--delta", {"type": float, "default": 0.05, "metavar": "CHANCE",
                 "help": "a run could stop when its chance to beat the best is at most this (default 0.05)"}),
    ("--least", {"type": int, "default": 5, "metavar": "N", "help": "observed values before a run could stop (default 5)"}),
    ("--doubtful", {"action": "store_true", "help": "a run could stop even where its forecast should not be trusted"}),
    ("--top", {"type": int, "default": 30, "metavar": "N", "help": "lines of the table (default 30)"}),
    ("--every", {"type": float, "default": 5.0, "metavar": "SECONDS", "help": "time between checks (default 5)"}),
    ("--once", {"action": "store_true", "help": "check once, and exit"}),
    ("--json", {"action": "store_true", "help": "print one line of JSON for each check that finds a change"}),
    ("--fail-on", {"type": fault, "action": "append", "default": [], "metavar": "WHAT",
                   "help": "end with status 3 and a line of JSON when a run is hopeless (it could stop), nan (its log has "
                           "NaN), no-gain (unlikely to beat its own best) or behind:RUN (unlikely to beat the best of "
                           "that run); may be given several times"}),
    ("--stop-file", {"type": Path, "metavar": "FILE", "help": "write the names of the runs that could stop, one per line"}),
]  # fmt: skip

EVALUATE_OPTIONS: list[Option] = [
    ("--weights", {"type": Path, "metavar": "FILE", "required": True, "help": "a .safetensors file written by curvecast"}),
    ("--curves", {"type": Path, "metavar": "FILE", "required": True, "help": "npz: noisy (n, epochs), clean if known"}),
    ("--cutoffs", {"type": cutoffs, "default": [5, 10, 20, 40, 70], "help": "in epochs (default 5,10,20,40,70)"}),
    ("--json", {"action": "store_true", "help": "print JSON instead of a table"}),
]  # fmt: skip

SAMPLE_OPTIONS: list[Option] = [
    ("-n", {"type": int, "default": 1000, "help": "how many curves (default 1000)"}),
    ("--seed", {"type": int, "default": 0, "help": "the same seed gives the same curves everywhere"}),
    ("--length", {"type": int, "default": 100, "help": "epochs of a curve (default 100)"}),
    ("-o --output", {"type": Path, "metavar": "FILE", "default": Path("curves.npz"), "help": "default curves.npz"}),
]  # fmt: skip

CONVERT = """Make tables of real curves from the public repositories that publish them.

CLONE is a clone at the commit that --list names. With `all`, it is a folder of clones,
each named after its repository. OUT gets one table per source and an index of all curves;
set CURVECAST_DATA=OUT to use them when results are reproduced. The exit status is 1 if a
table differs from the published one.

examples:
  curvecast convert --list
  curvecast convert pythia clones/pythia curves/
  curvecast convert all clones/ curves/
"""

CONVERT_OPTIONS: list[Option] = [
    ("source", {"nargs": "?", "metavar": "SOURCE", "help": "a name that --list prints, or all"}),
    ("clone", {"nargs": "?", "type": Path, "metavar": "CLONE", "help": "the folder of the clone"}),
    ("out", {"nargs": "?", "type": Path, "metavar": "OUT", "help": "the folder to write the tables to"}),
    ("--list", {"action": "store_true", "help": "what to clone: repository, commit, size, licence, command"}),
]  # fmt: skip


DOCTOR = "Report what is installed and whether it works. The exit status is 1 if something is broken."


class Command(NamedTuple):
    module: str  # in this folder; it has a function of the command's name
    help: str
    description: str
    options: list[Option]


COMMANDS = {
    "forecast": Command("terminal", "forecast the runs in one or more files", FORECAST, FORECAST_OPTIONS),
    "watch": Command("watch", "follow a folder of logs: which run will win, which could stop", WATCH, WATCH_OPTIONS),
    "evaluate": Command(
        "npz", "score weights on curves: likelihood, error and coverage at each cutoff", "", EVALUATE_OPTIONS
    ),
    "sample": Command("npz", "sample curves from the prior of the paper and write them to a file", "", SAMPLE_OPTIONS),
    "convert": Command("convert", "make tables of real curves from clones of public repositories", CONVERT, CONVERT_OPTIONS),
    "doctor": Command("doctor", "report what is installed and whether it works", DOCTOR, []),
}  # fmt: skip
