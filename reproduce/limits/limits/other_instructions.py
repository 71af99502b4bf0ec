"""The same forecasts and the same training with other instructions of the same processor.

Torch chooses its instructions when it starts, so each setting is a process of its own, which runs this file as a program
with a request and answers on standard output, both in JSON.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from curvecast.ground.config import plain, restore
from curvecast.training.train import TrainConfig
from reproduce._press.claim import AtMost, Below, Claim, Needs
from reproduce._press.contract import ROOT
from reproduce._press.intervals import Interval

if TYPE_CHECKING:  # whoever only answers needs no pandas
    from pandas import DataFrame

# torch's own loops, the matrix products of MKL, those of oneDNN
LIMITS = ("ATEN_CPU_CAPABILITY", "MKL_CBWR", "ONEDNN_MAX_CPU_ISA")
SETTINGS: dict[str, tuple[int, tuple[str, ...]]] = {  # threads, and the most that each of the three may use
    "one thread": (1, ()),
    "two threads": (2, ()),
    "AVX2 at most": (1, ("avx2", "AVX2", "AVX2")),
    "no wide vectors": (1, ("default", "COMPATIBLE", "SSE41")),
}
COMPARED = {
    "ll": "log-density",
    "weights": "weights after training",
    "ll_after": "log-density after training",
}


def compare(shown: TrainConfig, tried: TrainConfig, curves: int) -> "DataFrame":
    """Against one thread: the largest difference of a log-density, and of a weight after the short training `tried`."""
    import pandas as pd

    request = {"shown": plain(shown), "tried": plain(tried), "curves": curves}
    started = {name: _start(*setting, request) for name, setting in SETTINGS.items()}  # side by side
    answers = {name: _answer(process) for name, process in started.items()}
    first, rows = answers["one thread"], []
    for name, given in answers.items():
        differ = {w: max(abs(a - b) for a, b in zip(given[w], first[w], strict=True)) for w in COMPARED}
        rows.append({"setting": name, "uses": given["uses"]} | differ)
    return pd.DataFrame(rows)


def _start(threads: int, limits: tuple[str, ...], request: dict[str, Any]) -> subprocess.Popen[str]:
    free = {key: value for key, value in os.environ.items() if key not in LIMITS}
    chosen = dict(zip(LIMITS, limits, strict=False))  # none of them: whatever torch finds best
    environment = free | chosen | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": str(threads)}
    command = [sys.executable, "-m", __name__, json.dumps(request | {"threads": threads})]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"python -m {__name__} ended with status {process.returncode}")
    return json.loads(out.splitlines()[-1])


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Log-densities of the trained network, and weights and log-densities after a short training."""
    import torch

    from curvecast.curves import prior
    from curvecast.training import train

    torch.set_num_threads(request["threads"])
    shown, tried = (restore(TrainConfig, request[name]) for name in ("shown", "tried"))
    y = prior.test_set(request["curves"]).noisy
    with tempfile.TemporaryDirectory() as folder:
        net, history = train.train(tried, Path(folder) / "checkpoint", progress=False, device="cpu")
    after = train.Forecaster(tried, net.eval(), history)
    x = torch.arange(1, y.shape[1] + 1.0).expand(len(y), -1)
    asked = x[:, :10], y[:, :10], x[:, 19::20], y[:, 19::20]
    return {
        "uses": torch.backends.cpu.get_cpu_capability(),
        "ll": train.trained(shown).log_density(*asked).flatten().tolist(),
        "weights": torch.cat([p.detach().flatten() for p in net.parameters()]).tolist(),
        "ll_after": after.log_density(*asked).flatten().tolist(),
    }


def table(rows: "DataFrame") -> "DataFrame":
    texts = {title: rows[name].map(lambda x: f"{x:.7f}" if x else "0") for name, title in COMPARED.items()}
    return rows[["setting", "uses"]].rename(columns={"uses": "instructions"}).assign(**texts)


def claims(rows: "DataFrame") -> list[Claim]:
    """Nothing here is drawn by chance, so a number is its own interval. In millionths."""

    def claim(name: str, asks: str, settings: list[str], columns: list[str], needs: Needs) -> Claim:
        largest = rows[rows["setting"].isin(settings)][columns].max().max()
        return Claim(name, asks, Interval.exactly(1e6 * float(largest)), needs, "millionths")

    other = ["AVX2 at most", "no wide vectors"]
    return [
        claim("threads_same_bits", "Do two threads give the same forecasts and weights, bit for bit, as one thread?",
              ["two threads"], ["ll", "weights"], AtMost(0)),
        claim("instructions_agree", "Do other instructions of the same processor give about the same log-densities?",
              other, ["ll"], Below(1000)),
        claim("instructions_other_weights", "Does a short training end in the same weights, bit for bit, with other "
              "instructions of the same processor?", other, ["weights"], AtMost(0)),
    ]  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(answer(json.loads(sys.argv[1]))))
