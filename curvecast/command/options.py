"""What `forecast` and `watch` may be told, and how their help begins: as data, so that nothing heavy is imported for it."""

import argparse
from pathlib import Path
from typing import Any

from curvecast.command.completion import FILE

METRICS = ("accuracy", "percent", "error", "loss")  # of normalise.py, which is not imported for a help text


def bound(text: str) -> float | None:
    """A number, or none: -inf would look like an option."""
    try:
        return None if text.lower() == "none" else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor none") from None


FORECAST = """Forecast every run of a file, or of several: where it will be at the horizon, how surely.

A file is wide (a column `step` and one column for each run) or long (columns run,
step, value). Steps may have any unit; an empty cell is a hole. Runs of several files
are called after their file, as in `a.csv: run 1`. Nothing is guessed: what cannot be
read is said in one sentence, with exit status 2.

examples:
  curvecast forecast runs.csv
  curvecast forecast runs.csv --metric percent --horizon 200 --best
  curvecast forecast runs.csv --ends-at 100       bands calibrated on the runs that came to step 100
  curvecast forecast scores.tsv --bounds none 500 --json > bands.json
  curvecast forecast trainer_state.json --value eval_accuracy
  cut -d, -f1,4 runs.csv | curvecast forecast -o run.svg
  curvecast forecast runs.csv -o - | grep '^run 1,'
  curvecast forecast monday/log.csv tuesday/log.csv --best
  curvecast forecast tb_logs/ --value val/accuracy --watch 10
"""

FORECAST_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("files", {"nargs": "*", "default": ["-"], "metavar": FILE,
               "help": "CSV, TSV, JSON, TensorBoard events or their folder; - or nothing: standard input"}),
    ("--horizon", {"type": float, "metavar": "STEP",
                   "help": "the last step to forecast, of all runs (default: where runs end, if that is known; else "
                           "100 epochs, or twice as far as any has come)"}),
    ("--ends-at", {"type": float, "metavar": "STEP",
                   "help": "the last step that was planned: runs that have come to it have finished, and the bands of "
                           "the others are calibrated on them (default: as the log says, if it does)"}),
    ("--no-finished", {"action": "store_true", "help": "calibrate no bands on finished runs"}),
    ("--metric", {"choices": METRICS,
                  "help": "0 to 1; 0 to 100; 0 to 1, less is better; 0 upwards, less is better (default accuracy)"}),
    ("--bounds", {"type": bound, "nargs": 2, "metavar": ("LOW", "HIGH"),
                  "help": "lowest and highest possible value; none where there is none, on one side"}),
    ("--minimise", {"action": argparse.BooleanOptionalAction, "default": None,
                    "help": "less is better (default: as the metric)"}),
    ("--run", {"metavar": "NAME", "help": "the column, or JSON key, that names the run"}),
    ("--step", {"metavar": "NAME", "help": "the column, or JSON key, of the step"}),
    ("--value", {"metavar": "NAME", "help": "the column, JSON key or TensorBoard tag of the value"}),
    ("--sep", {"metavar": "CHAR", "help": "what parts the cells (default: found out)"}),
    ("--decimal", {"choices": (".", ","), "default": ".", "help": "the decimal mark (default .)"}),
    ("--best", {"action": "store_true", "help": "rank the runs by their chance to be the best at the horizon"}),
    ("--beat", {"type": float, "metavar": "VALUE",
                "help": "show the chance to beat this value (default: the best of all runs so far)"}),
    ("--json", {"action": "store_true", "help": "print JSON instead of a table"}),
    ("-o --output", {"type": Path, "metavar": FILE,
                     "help": "also write the bands to a .csv or .json, or a picture to a .svg or .png; -: the bands, "
                             "as CSV, to standard output instead of the table"}),
    ("--watch", {"type": float, "nargs": "?", "const": 2.0, "metavar": "SECONDS",
                 "help": "look at the files every so many seconds (2), and print again when one has changed"}),
    ("--weights", {"metavar": FILE, "help": "released (0.2, the default), paper-prior (0.1), or a file of ours"}),
]  # fmt: skip

WATCH = """Follow a folder of logs while trainings write into them: one line a run, ranked by its
chance to be the best at the horizon, and which runs could stop now.

A run could stop when no later step has a chance of more than --delta to beat the best
value of all runs so far. One that has come to the planned end has finished, and the
bands of the others are calibrated on it. Nothing is stopped by this command:
--stop-file writes the names for a scheduler to read, one a line. Logs are CSV, TSV,
JSON, JSON lines, TensorBoard events, trainer_state.json, and the databases of MLflow
and Trackio.

examples:
  curvecast watch runs/
  curvecast watch runs/ --metric loss --value eval_loss --horizon 50000
  curvecast watch mlruns/mlflow.db --value val_accuracy --once
  curvecast watch runs/ --json | jq -c .could_stop
  curvecast watch runs/ --ends-at 100             bands calibrated on the runs that came to step 100
  curvecast watch runs/ --every 60 --stop-file hopeless.txt
"""

AS_IN_FORECAST = (
    "--horizon",
    "--ends-at",
    "--no-finished",
    "--metric",
    "--bounds",
    "--minimise",
    "--run",
    "--step",
    "--value",
    "--sep",
    "--decimal",
)
WATCH_OPTIONS: list[tuple[str, dict[str, Any]]] = [
    ("folder", {"type": Path, "metavar": FILE, "help": "the folder, or one log or database"}),
    *(option for option in FORECAST_OPTIONS if option[0] in AS_IN_FORECAST),
    ("--delta", {"type": float, "default": 0.05, "metavar": "CHANCE",
                 "help": "a run could stop when it has no larger chance (default 0.05)"}),
    ("--least", {"type": int, "default": 5, "metavar": "N", "help": "values of a run before it could stop (default 5)"}),
    ("--top", {"type": int, "default": 30, "metavar": "N", "help": "lines of the table (default 30)"}),
    ("--every", {"type": float, "default": 5.0, "metavar": "SECONDS", "help": "from one check to the next (default 5)"}),
    ("--once", {"action": "store_true", "help": "look once, and end"}),
    ("--json", {"action": "store_true", "help": "print one line of JSON for each look that finds a change"}),
    ("--stop-file", {"type": Path, "metavar": FILE, "help": "write the names of the runs that could stop, one a line"}),
]  # fmt: skip
