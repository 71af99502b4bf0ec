"""How long does a forecast take in the browser, compared with NumPy on the same machine?"""

import os
import shutil
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.forecasting.api import Unlike, forecast
from curvecast.ground.errors import UserError
from reproduce._press import style
from reproduce._press.claim import AtMost, Claim
from reproduce._press.contract import ROOT
from reproduce._press.intervals import Interval
from reproduce._press.where import over, where
from reproduce.pictures.rounds import Row, every_round
from reproduce.protocols import timing
from reproduce.protocols.timing import ROUNDS

ON_REQUEST = "make bench"
TABLES = {"rows": ("program", "seen", "round", "seconds", "curves")}
STOPWATCHES = ("rows.seconds",)

LIVE = ROOT / "docs" / "assets" / "live"
LOAD = "async () => { globalThis.model = await (await import('/model.js')).load('/'); }"
ASK = """async ([curves, horizon]) => {
  const start = performance.now();
  for (const y of curves) {
    const x = y.map((_, i) => i + 1);
    const later = Array.from({length: horizon - y.length}, (_, i) => y.length + 1 + i);
    const all = await model.ask(x, y, later);
    for (const level of [0.05, 0.5, 0.95]) all.map(density => density.quantile(level));
  }
  return (performance.now() - start) / 1000;
}"""
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@dataclass(frozen=True)
class Config:
    rounds: int = ROUNDS
    curves: int = 50  # forecast one by one, a turn
    seen: tuple[int, ...] = (10, 50)
    horizon: int = 100


SCALES = {"smoke": Config(1, 2, (10,)), "laptop": Config(), "paper": Config(rounds=15)}


def measure(config: Config, part: str) -> pd.DataFrame:
    """A row for each program, number of observed epochs and round; both have warmed up, and take turns."""
    noisy = prior.test_set(config.curves).noisy.clamp(0, 1).double().numpy()
    rows = []
    with live_page() as page, warnings.catch_warnings():
        warnings.simplefilter("ignore", Unlike)
        for seen in config.seen:
            y = noisy[:, :seen]
            asked = [y.tolist(), config.horizon]
            turns = {
                "NumPy": partial(in_numpy, y, config.horizon),
                "browser": partial(page.evaluate, ASK, asked),
            }
            rows += [
                {"program": program, "seen": seen, "round": number, "seconds": seconds, "curves": len(y)}
                for number, program, seconds in timing.in_turns(turns, config.rounds)
            ]
    return pd.DataFrame(rows)


def in_numpy(y: np.ndarray, horizon: int) -> float:
    def forecasts() -> None:
        for values in y:
            run = forecast(values, horizon=horizon, check=False)
            _ = run.median, *run.interval(0.9)

    return timing.seconds(forecasts)


@contextmanager
def live_page() -> Iterator[Any]:
    """A page of Chromium that has loaded the network as every reader's browser does, from a server of this machine."""
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        raise UserError(
            "There is no Chromium on this machine: apt-get install chromium, or set CHROMIUM to its path."
        )
    if not (LIVE / "ort").is_dir():
        raise UserError("The runtime of the live model is not here: install npm, then `make setup`.")
    from playwright.sync_api import sync_playwright

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(LIVE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as engine:
            browser = engine.chromium.launch(executable_path=chromium, args=ARGUMENTS)
            page = browser.new_page()
            page.set_default_timeout(120_000)
            page.goto(f"http://127.0.0.1:{server.server_port}/meta.json")  # any file: scripts are beside it
            page.evaluate(LOAD)
            yield page
            browser.close()
    finally:
        server.shutdown()
        server.server_close()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Milliseconds per curve, every round a dot."""
    lines = [
        Row(f"{program}, {seen} epochs observed", 1000 * own["seconds"] / own["curves"],
            style.colour("ours") if program == "NumPy" else style.ink())
        for (seen, program), own in rows.groupby(["seen", "program"], sort=False)
    ]  # fmt: skip
    return {"times": every_round(lines, "milliseconds per curve (lower is better)")}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    cells = []
    for (seen, program), own in rows.groupby(["seen", "program"], sort=False):
        middle = Interval.of_median((1000 * own["seconds"] / own["curves"]).tolist())
        assert middle is not None  # a group has rows
        cells.append(
            {"epochs observed": str(seen), "program": program, "ms per curve": middle.plus_minus(".2f")}
        )
    return {"times": pd.DataFrame(cells)}


def claims(rows: pd.DataFrame) -> list[Claim]:
    question = (
        "After {} epochs, does a forecast in the browser take not much longer than a forecast in NumPy?"
    )
    return [
        Claim(f"within_twice_at_{seen}", question.format(seen), Interval.of_median(ratios), AtMost(2), "×")
        for seen in Config().seen
        for ratios in [over(where(rows, seen=seen), "program", "browser", "NumPy", "seconds")]
    ]  # fmt: skip
