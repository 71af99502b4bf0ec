"""Is the backbone with the better mean better on most curves, and do backbones lose on the same curves?

One training of each row with as many curves, scored on each of the curves whose exact posterior is known.
"""

from dataclasses import dataclass
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.networks.backbones.families import FAMILIES
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.estimates import Estimates, there
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _rows, _sweep, _trainings
from reproduce.backbones._rows import LATER, PFN
from reproduce.backbones._trainings import CUTOFFS, SETTINGS
from reproduce.pictures.panels import legend

SWEEP, MORE = "backbone_rates/paper", "more_rows/paper"
TABLES = {"rows": ("curve", "lost")}


@dataclass(frozen=True)
class Config:
    rows: tuple[str, ...] = tuple(FAMILIES)
    parameters: int = _rows.PARAMETERS
    curves: int = 24_576
    scored: int = 1_000
    judged: str = "exact_bayes/paper"


SCALES = {
    "smoke": Config((PFN, "GRU", "Elman"), 2_000, 64, 8),
    "laptop": Config((PFN, "LSTM"), curves=2_048, scored=500),
    "paper": Config(),
}
NOT_AT_SMOKE_SCALE = {
    "rows": "architectures trains all of them at that scale, but two that state_and_seconds trains",
    "parts": "a part is a row",
}


def parts(config: Config) -> list[str]:
    return [_rows.part(name) for name in config.rows]


def reads(config: Config) -> list[str]:
    return [config.judged, SWEEP, MORE]


def measure(config: Config, part: str, read: dict[str, Any]) -> pd.DataFrame:
    """Nats per point below the exact posterior, the mean over cutoffs, by curve."""
    name = _rows.named(part)
    sweep = read[MORE]["sweep"] if name in LATER else read[SWEEP]
    setting = SETTINGS[_sweep.best(sweep, name)]
    done = _trainings.train(
        _trainings.training(_rows.reader(name, config.parameters), setting, config.curves, seed=0)
    )
    if done is None:
        return pd.DataFrame(columns=["curve", "lost"])
    by_cutoff = _trainings.likelihoods(done.forecaster, prior.test_set(config.scored).noisy)
    ours = torch.stack([by_cutoff[cutoff] for cutoff in CUTOFFS]).mean(0)  # (n,)
    judged = where(read[config.judged]["rows"], method="exact")
    exact = judged[judged["cutoff"].isin(CUTOFFS)].groupby("curve")["ll"].mean()[: config.scored]
    lost = exact - ours.double().numpy()[exact.index]
    return pd.DataFrame({"curve": exact.index, "lost": lost.round(3).to_numpy()})


def by_curve(rows: pd.DataFrame) -> pd.DataFrame:
    """Nats below the exact posterior: a row for each curve, a column for each backbone, the best in the mean first."""
    table = rows.pivot_table(index="curve", columns="part", values="lost")
    table = table.rename(columns={part: _rows.named(part) for part in table})
    return table[table.mean().sort_values().index]


def leads(table: pd.DataFrame) -> Estimates:
    """By backbone, the share of curves on which it is ahead of attention."""
    others = [name for name in table if name != PFN] if PFN in table else []
    return there({name: Interval.wilson(table[PFN] > table[name]) for name in others})


def draw(rows: pd.DataFrame) -> dict[str, Figure]:
    """Left: how often a row is ahead of attention; right: by how much, from the 5th to the 95th percentile."""
    table = by_curve(rows)
    shares = leads(table)
    others = [*shares][::-1]
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 1.2 + 0.25 * len(others)), sharey=True)
    for place, name in enumerate(others):
        ahead, colour, share = table[PFN] - table[name], _rows.colour(name), shares[name].times(100)
        left.plot([share.low, share.high], [place] * 2, color=colour, linewidth=1)
        left.plot(share.value, place, "o", color=colour, label=_rows.kind(name), markersize=4.5)
        low, first, middle, third, high = np.percentile(ahead, [5, 25, 50, 75, 95])
        right.plot([low, high], [place] * 2, color=colour, linewidth=1)
        right.plot([first, third], [place] * 2, color=colour, linewidth=3.5)
        right.plot(middle, place, "|", color=style.ink())
    left.axvline(50, color=style.faint(), linewidth=1, zorder=0)
    right.axvline(0, color=style.faint(), linewidth=1, zorder=0)
    left.set_yticks(range(len(others)), others)
    left.set_xlabel("curves on which it is ahead of\nthe transformer encoder, % (right is better)")
    right.set_xlabel("nats per point above the transformer encoder\n(right is better)")
    legend(figure, [left])
    return {"curves": figure}


def tabulate(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    return {}


def claims(rows: pd.DataFrame) -> list[Claim]:
    table = by_curve(rows)
    first, second = table.iloc[::2], table.iloc[1::2]  # the one chooses the best, the other judges it
    best = first.drop(columns=PFN, errors="ignore").mean().idxmin() if table.shape[1] > 1 else PFN
    pairs = table.corr(method="spearman").to_numpy()[np.triu_indices(table.shape[1], 1)]
    return [
        Claim("best_leads_on_most", "Is the best backbone on half of the curves ahead of attention on most of the others?",
              leads(second).get(best), Above(0.5), "%"),
        Claim("elman_leads_on_some", "Is Elman’s network, the worst, ahead of attention on at least a tenth of the curves?",
              leads(table).get("Elman"), AtLeast(0.1), "%"),
        Claim("lose_together", "Do most pairs of backbones lose on the same curves, with a rank correlation above one half?",
              Interval.exactly(float(np.median(pairs))) if len(pairs) else None, Above(0.5), ""),
    ]  # fmt: skip
