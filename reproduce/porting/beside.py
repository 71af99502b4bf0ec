"""How large and how fast is the port, compared with the reference package?

The two programs take turns, a process each: code, parameters, seconds.
"""

import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.networks.bars import BarsConfig, make_borders
from reproduce._press.claim import Above, AtLeast, Below, Between, Claim
from reproduce._press.estimates import Estimates, there
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.rival import partner, timed_program
from reproduce.rival.partner import Rival

PROGRAM = ("-m", timed_program.__name__)
PUBLISHED, NONE = 0.2, 0.0  # dropout
SEEN = 10  # of a forecast
Programs = dict[str, Rival]
PIECES = {"network": ["network"], "network and density": ["network", "density"]}
ON_REQUEST = "make bench"


@dataclass(frozen=True)
class Config:
    width: int = 128  # P1 of the paper: one head, as the package's code takes at this width
    layers: int = 3
    batch: int = 100
    cutoffs: tuple[int, ...] = (10, 30, 50, 70, 90)  # of the steps of a turn
    calls: int = 50  # forecasts of a turn
    rounds: int = 15  # the 95 % interval of the median then leaves out three rounds on each side
    threads: int = 1
    alone: bool = False  # without the reference package, where it is not installed


SCALES = {
    "smoke": Config(layers=1, batch=4, cutoffs=(50,), calls=2, rounds=2, alone=True),
    "laptop": Config(),
    "paper": Config(rounds=30),
}
TABLES = {
    "code": ("file", "name", "lines", "statements", "program", "piece"),
    "network": ("what", "program", "value"),
    "times": ("what", "program", "round", "value"),
}
STOPWATCHES = ("times.value",)


def measure(config: Config, part: str) -> Rows:
    """Minutes: 8 at laptop scale, on one core that has nothing else to do."""
    pythons = {"port": Path(sys.executable), "reference": partner.PYTHON}
    if config.alone and not partner.PYTHON.exists():
        del pythons["reference"]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        curves = f"{folder}/curves.npz"
        borders = make_borders(BarsConfig(tails="paper"), PriorConfig())
        np.savez(curves, y=test_set(config.batch).noisy.numpy(), borders=borders.numpy())
        programs = {}
        shape = {"width": config.width, "layers": config.layers, "dropouts": [PUBLISHED, NONE]}
        for name, python in pythons.items():
            programs[name] = stack.enter_context(Rival(config.threads, python, PROGRAM))
            programs[name].ask("load", program=name, curves=curves, **shape)
        return {
            "code": code(programs),
            "times": times(programs, list(config.cutoffs), config.calls, config.rounds),
            "network": differences(programs, Path(folder)),
        }


def code(programs: Programs) -> pd.DataFrame:
    """A row for each function and class that the network needs."""
    frames = [pd.DataFrame(one.ask("code")["used"]).assign(program=name) for name, one in programs.items()]
    rows = pd.concat(frames, ignore_index=True)
    density = rows["file"].isin(["bars.py", "buckets.py", "bar_distribution.py"])
    return rows.assign(piece=np.where(density, "density", "network"))


def times(programs: Programs, cutoffs: list[int], calls: int, rounds: int) -> pd.DataFrame:
    """Seconds of one step and of one forecast, a row for each round and program; who begins changes every round."""
    turns: dict[str, dict] = {
        "training step, dropout 0.2": {"do": "step", "dropout": PUBLISHED, "cutoffs": cutoffs},
        "training step, no dropout": {"do": "step", "dropout": NONE, "cutoffs": cutoffs},
        "forecast": {"do": "forecast", "dropout": PUBLISHED, "cutoff": SEEN, "calls": calls},
    }
    rows = []
    for number in range(rounds + 1):  # the first warms up
        order = list(programs) if number % 2 else list(programs)[::-1]
        for what, request in turns.items():
            for name in order:
                seconds = programs[name].ask(**request)["seconds"]
                rows.append({"what": what, "program": name, "round": number, "value": seconds})
        print(f"beside: round {number} of {rounds}" if number else "beside: warm", flush=True)
    return pd.DataFrame(rows).query("round > 0").reset_index(drop=True)


def differences(programs: Programs, folder: Path) -> pd.DataFrame:
    """Parameters of each, and how far both are apart: in these, and with the same weights in what they say of a curve."""
    weights, rows = str(folder / "weights.npz"), []
    count = {name: one.ask("size")["parameters"] for name, one in programs.items()}
    for name, number in count.items():
        rows.append({"what": "parameters", "program": name, "value": number})
    if len(programs) == 2:
        programs["reference"].ask("weights", dropout=NONE, path=weights)
        programs["port"].ask("take", dropout=NONE, path=weights)
        theirs, ours = (said(programs[name], str(folder / name)) for name in ("reference", "port"))
        apart = {"parameters": count["port"] - count["reference"]}
        apart |= {what: np.abs(ours[what] - theirs[what]).max() for what in ("logits", "means")}
        rows += [{"what": what, "program": "both", "value": abs(value)} for what, value in apart.items()]
    return pd.DataFrame(rows)


def said(program: Rival, path: str) -> dict[str, np.ndarray]:
    """Logits and means of one curve."""
    program.ask("say", dropout=NONE, cutoff=SEEN, path=f"{path}.npz")
    with np.load(f"{path}.npz") as file:
        return {what: file[what] for what in file.files}


# ------------------------------------------------------------------------------------------------- estimates


def values(rows: Rows) -> dict[str, pd.DataFrame]:
    """For each row of the table a column for each program: one number, or one of each round."""
    tables = {}
    for kind in ("lines", "statements"):
        for title, pieces in PIECES.items():
            mine = rows["code"][rows["code"]["piece"].isin(pieces)]
            tables[f"{kind}, {title}"] = mine.groupby("program")[kind].sum().to_frame().T
    count = where(rows["network"], what="parameters").query("program != 'both'")
    tables["parameters"] = count.set_index("program")["value"].to_frame().T
    for what, mine in rows["times"].groupby("what", sort=False):
        tables[str(what)] = mine.pivot(index="round", columns="program", values="value")
    return tables


def ratios(found: dict[str, pd.DataFrame]) -> Estimates:
    """The reference by the port, so that more is better: the median with its interval; a count is its own interval."""
    both = {what: each for what, each in found.items() if {"port", "reference"} <= set(each)}
    by_round = {what: (each["reference"] / each["port"]).tolist() for what, each in both.items()}
    return there({
        what: Interval.of_median(some) if timed(found[what]) else Interval.exactly(some[0])
        for what, some in by_round.items()
    })  # fmt: skip


def timed(each: pd.DataFrame) -> bool:
    return each.index.name == "round"


# ---------------------------------------------------------------------------------------------------- shown


def draw(rows: Rows) -> dict[str, Figure]:
    """The table says it all."""
    return {}


def tabulate(rows: Rows) -> Rows:
    found, cells = values(rows), []
    ratio = ratios(found)
    for what, each in found.items():
        cell = {"what": f"{what}, milliseconds" if timed(each) else what, "port": "…", "reference": "…"}
        for program in each:
            numbers = each[program]
            cell[program] = f"{1000 * numbers.median():.1f}" if timed(each) else f"{numbers.iloc[0]:,.0f}"
        one = ratio.get(what)
        shown = "…" if one is None else f"{one.value:.2f}"
        ends = f" ({one.low:.2f} to {one.high:.2f})" if one and timed(each) and one.low == one.low else ""
        cells.append(cell | {"reference / port": shown + ends})
    return {"beside": pd.DataFrame(cells), "code": code_table(rows["code"])}


def code_table(code: pd.DataFrame) -> pd.DataFrame:
    cells = []
    for (program, piece, file), mine in code.groupby(["program", "piece", "file"], sort=False):
        names = dict.fromkeys(name.split(".")[0] for name in mine["name"])
        cells.append({
            "counted": f"{program}: {file}", "for the": piece, "of which": ", ".join(names),
            "lines": str(mine["lines"].sum()), "statements": str(mine["statements"].sum()),
        })  # fmt: skip
    return pd.DataFrame(cells)


def claims(rows: Rows) -> list[Claim]:
    both, ratio = where(rows["network"], program="both").set_index("what")["value"], ratios(values(rows))
    apart = {what: Interval.exactly(value) for what, value in both.items()}
    return [
        Claim("same_parameters", "Does our port have exactly as many parameters as the reference package’s network?",
              apart.get("parameters"), Between(0, 0)),
        Claim("same_logits", "Given the reference package’s weights, does our port give the same logits, up to rounding?",
              apart.get("logits"), Below(0.0001)),
        Claim("same_means", "Given the reference package’s weights, does our port give the same means, up to rounding?",
              apart.get("means"), Below(0.00001)),
        Claim("shorter", "Does our port, with its density, need fewer lines of code than the reference package?",
              ratio.get("lines, network and density"), Above(1), "×"),
        Claim("fewer_statements", "Does our port, with its density, need fewer statements than the reference package?",
              ratio.get("statements, network and density"), Above(1), "×"),
        Claim("step_no_slower", "Is a training step of our port at least as fast as one of the reference package?",
              ratio.get("training step, dropout 0.2"), AtLeast(1), "×"),
        Claim("step_without_dropout_no_slower",
              "Is a training step of our port without dropout at least as fast as one of the reference package?",
              ratio.get("training step, no dropout"), AtLeast(1), "×"),
        Claim("forecast_no_slower", "Is a forecast of our port at least as fast as one of the reference package?",
              ratio.get("forecast"), AtLeast(1), "×"),
    ]  # fmt: skip
