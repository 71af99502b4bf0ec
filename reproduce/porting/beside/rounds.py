"""The port and the reference package, a process each, that take turns: code, parameters, seconds."""

import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pandas as pd

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.networks.bars import BarsConfig, make_borders
from reproduce._press.where import Rows
from reproduce.rival import partner, timed_program
from reproduce.rival.partner import Rival

PROGRAM = ("-m", timed_program.__name__)
PUBLISHED, NONE = 0.2, 0.0  # dropout
SEEN = 10  # of a forecast
Programs = dict[str, Rival]


def beside(
    width: int, layers: int, batch: int, cutoffs: tuple[int, ...], calls: int, rounds: int, threads: int, alone: bool
) -> Rows:  # fmt: skip
    """alone: without the reference package, where it is not installed."""
    pythons = {"port": Path(sys.executable), "reference": partner.PYTHON}
    if alone and not partner.PYTHON.exists():
        del pythons["reference"]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        curves = f"{folder}/curves.npz"
        borders = make_borders(BarsConfig(tails="paper"), PriorConfig())
        np.savez(curves, y=test_set(batch).noisy.numpy(), borders=borders.numpy())
        programs = {}
        shape = {"width": width, "layers": layers, "dropouts": [PUBLISHED, NONE]}
        for name, python in pythons.items():
            programs[name] = stack.enter_context(Rival(threads, python, PROGRAM))
            programs[name].ask("load", program=name, curves=curves, **shape)
        return {
            "code": code(programs),
            "times": times(programs, list(cutoffs), calls, rounds),
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
    weights, found = str(folder / "weights.npz"), []
    count = {name: one.ask("size")["parameters"] for name, one in programs.items()}
    for name, number in count.items():
        found.append({"what": "parameters", "program": name, "value": number})
    if len(programs) == 2:
        programs["reference"].ask("weights", dropout=NONE, path=weights)
        programs["port"].ask("take", dropout=NONE, path=weights)
        theirs, ours = (said(programs[name], str(folder / name)) for name in ("reference", "port"))
        apart = {"parameters": count["port"] - count["reference"]}
        apart |= {what: np.abs(ours[what] - theirs[what]).max() for what in ("logits", "means")}
        found += [{"what": what, "program": "both", "value": abs(value)} for what, value in apart.items()]
    return pd.DataFrame(found)


def said(program: Rival, path: str) -> dict[str, np.ndarray]:
    """Logits and means of one curve."""
    program.ask("say", dropout=NONE, cutoff=SEEN, path=f"{path}.npz")
    with np.load(f"{path}.npz") as file:
        return {what: file[what] for what in file.files}
