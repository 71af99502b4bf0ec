"""The same forecasts and the same training with other instructions of the same processor.

Torch chooses its instructions when it starts, so each setting is a process of its own, `python -m
reproduce.limits.limits.other_instructions`
with a request, which it answers on standard output, both in JSON.
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
from reproduce._press.contract import ROOT

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


def compare(shown: TrainConfig, tried: TrainConfig, curves: int) -> "DataFrame":
    """Against one thread: the largest difference of a log-density, and of a weight after the short training `tried`."""
    import pandas as pd

    request = {"shown": plain(shown), "tried": plain(tried), "curves": curves}
    started = {name: _start(*setting, request) for name, setting in SETTINGS.items()}  # side by side
    found = {name: _answer(process) for name, process in started.items()}
    first = found["one thread"]
    rows = []
    for name, given in found.items():
        row: dict[str, Any] = {"setting": name, "uses": given["uses"]}
        for what in ("ll", "weights", "ll_after"):
            row[what] = max(abs(a - b) for a, b in zip(given[what], first[what], strict=True))
        rows.append(row)
    return pd.DataFrame(rows)


def _start(threads: int, limits: tuple[str, ...], request: dict[str, Any]) -> subprocess.Popen[str]:
    free = {key: value for key, value in os.environ.items() if key not in LIMITS}
    chosen = dict(zip(LIMITS, limits, strict=False))  # none of them: whatever torch finds best
    environment = free | chosen | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": str(threads)}
    command = [
        sys.executable,
        "-m",
        "reproduce.limits.limits.other_instructions",
        json.dumps(request | {"threads": threads}),
    ]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(
            f"python -m reproduce.limits.limits.other_instructions ended with status {process.returncode}"
        )
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


if __name__ == "__main__":
    print(json.dumps(answer(json.loads(sys.argv[1]))))
