"""How large is it, and how soon does it start? Installed alone, in an environment of its own, without PyTorch."""

import csv
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.ground.errors import UserError
from reproduce._press import style
from reproduce._press.claim import AtMost, Claim
from reproduce._press.contract import ROOT
from reproduce._press.intervals import Interval
from reproduce.pictures.rounds import Row, every_round
from reproduce.protocols.timing import ROUNDS, middle

ON_REQUEST = "make bench"
TABLES = {"rows": ("what", "round", "unit", "value")}
STOPWATCHES = ("rows.value",)

WHEELS = ROOT / ".bench" / "wheels"  # of its dependencies, so that no download is timed
SECONDS = {  # what is timed, in words
    "install": "install from local files with pip",
    "python": "start Python",
    "numpy": "start Python, import NumPy",
    "torch": "start Python, import PyTorch",
    "import": "start Python, import curvecast",
    "few": "forecast a file of twelve runs",
    "many": "forecast a file of a thousand runs",
}
MEGABYTES = {
    "curvecast": "curvecast",
    "all": "curvecast with its dependencies",
    "torch itself": "PyTorch alone",
}


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    seen: int = 10
    few: int = 12
    many: int = 1000


SCALES = {"smoke": Config(1, many=20), "laptop": Config(), "paper": Config(rounds=15)}


def measure(config: Config, part: str) -> pd.DataFrame:
    """A row for each thing that is timed or weighed, and for each round, which has an environment of its own."""
    if not WHEELS.exists():
        raise UserError(f"There are no packages to install from ({WHEELS} is missing): run `make bench`.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        package = _built(folder)
        for n in (config.few, config.many):
            _write_runs(folder / f"{n}.csv", n, config.seen)
        rows = []
        for number in range(config.rounds + 1):
            python, seconds = _installed(folder / f"env{number}", package)
            timed = {"install": seconds} | _starts(python, folder, config)
            rows += [_row(what, number, "s", value) for what, value in timed.items() if number]
        site = next((folder / "env1" / "lib").glob("python*/site-packages"))
        rows += [_row(what, 1, "MB", value) for what, value in sizes_on_disk(site).items()]
    return pd.DataFrame(rows)


def _row(what: str, number: int, unit: str, value: float) -> dict[str, str | int | float]:
    return {"what": what, "round": number, "unit": unit, "value": value}


def _built(folder: Path) -> Path:
    """The wheel of this package, from a copy: a build leaves its own folders beside the source."""
    source = folder / "source"
    shutil.copytree(ROOT / "curvecast", source / "curvecast", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    seconds_of([sys.executable, *pip, "--wheel-dir", str(folder), str(source)])
    (wheel,) = folder.glob("curvecast-*.whl")
    return wheel


def _write_runs(path: Path, n: int, seen: int) -> None:
    values = prior.test_set(n).noisy[:, :seen].clamp(0, 1).tolist()  # (n, seen)
    with path.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["run", "step", "value"])
        for i, run in enumerate(values, 1):
            table.writerows([f"run {i}", step, value] for step, value in enumerate(run, 1))


def _installed(folder: Path, package: Path) -> tuple[Path, float]:
    """A fresh environment with the package and what it needs: its Python, and how long pip took."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return python, seconds_of([str(python), *pip, "--no-index", "--find-links", str(WHEELS), str(package)])


def _starts(python: Path, folder: Path, config: Config) -> dict[str, float]:
    """Seconds from pressing return until it has ended."""
    forecast = [str(python.parent / "curvecast"), "forecast"]
    seconds_of(
        [*forecast, str(folder / f"{config.few}.csv")]
    )  # the first time after an installation is slower
    return {
        "python": seconds_of([str(python), "-c", "pass"]),
        "numpy": seconds_of([str(python), "-c", "import numpy"]),
        "torch": seconds_of([sys.executable, "-c", "import torch"]),
        "import": seconds_of([str(python), "-c", "from curvecast import forecast"]),
        "few": seconds_of([*forecast, str(folder / f"{config.few}.csv")]),
        "many": seconds_of([*forecast, str(folder / f"{config.many}.csv")]),
    }


def seconds_of(command: Sequence[str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=tempfile.gettempdir(), check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise UserError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
    return seconds


def sizes_on_disk(site: Path) -> dict[str, float]:
    """Megabytes on disk, without pip and whatever every environment has."""
    bare = ("pip", "setuptools", "_distutils_hack", "distutils-precedence.pth")
    every = [path for path in site.iterdir() if not path.name.startswith(bare)]
    torch = find_spec("torch")
    assert torch is not None and torch.origin is not None  # this question needs it
    return {
        "curvecast": _megabytes([site / "curvecast"]),
        "all": _megabytes(every),
        "torch itself": _megabytes([Path(torch.origin).parent]),
    }


def _megabytes(paths: Sequence[Path]) -> float:
    files = [
        file for path in paths for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file()
    ]
    return sum(file.stat().st_size for file in files) / 1e6


def _of(rows: pd.DataFrame, what: str) -> list[float]:
    return rows.loc[rows["what"] == what, "value"].tolist()


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Seconds, every round a dot."""
    others = ("python", "numpy", "torch")
    colours = {what: style.ink() if what in others else style.colour("shipped") for what in SECONDS}
    lines = [Row(words, _of(rows, what), colours[what]) for what, words in SECONDS.items()]
    return {"starts": every_round(lines, "seconds (lower is better)", log=True)}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    times = [{"what": words, "seconds": middle(_of(rows, what))} for what, words in SECONDS.items()]
    sizes = [{"what": words, "MB": f"{_of(rows, what)[0]:.1f}"} for what, words in MEGABYTES.items()]
    return {"starts": pd.DataFrame(times), "sizes": pd.DataFrame(sizes)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    light, torch = _of(rows, "all"), _of(rows, "torch itself")
    share = 100 * light[0] / torch[0] if light and torch else None
    asked = {
        "import": ("Does Python start and import curvecast in a moment?", 0.15),
        "few": ("Does the command forecast a file of twelve runs in a moment?", 0.5),
        "many": ("Does the command forecast a file of a thousand runs in a few seconds?", 3),
    }
    quick = [
        Claim(name, question, Interval.of_median(_of(rows, name)), AtMost(most), "s")
        for name, (question, most) in asked.items()
    ]
    question = "Does curvecast with its dependencies need only a small share of the disk space of PyTorch?"
    return [*quick, Claim("disk", question, Interval.exactly(share), AtMost(20), "percent")]
