"""May the judge be believed? What it did, and the claims that it must pass before it may charge a network with a loss."""

import pandas as pd
import torch

from curvecast import metrics
from curvecast.metrics import Estimate
from reproduce._contract import Claim
from reproduce._judged import claim, lead

Rows = dict[str, pd.DataFrame]


def table(rows: Rows) -> pd.DataFrame:
    """A row for each cutoff."""
    found = []
    for cutoff, work in _work(rows).groupby("cutoff"):
        band = _band(rows, cutoff)
        found.append({
            "seen": str(cutoff), "effective, low": f"{work['ess'].quantile(0.1):,.0f}",
            "effective": f"{work['ess'].median():,.0f}", "of the bank, low": f"{work['ess_bank'].quantile(0.1):,.0f}",
            "of the bank": f"{work['ess_bank'].median():,.0f}", "rises": f"{work['rises'].mean():.1f}",
            "taken": f"{100 * work['accepted'].mean():.0f} %", "seconds": f"{work['seconds'].mean():.2f}",
            "in 90 %": f"{band.value:.3f}" if band else "…",
            "doubled": cell(lead(rows["rows"], "doubled", "exact", cutoff), "{:+.4f} ± {:.4f}"),
        })  # fmt: skip
    return pd.DataFrame(found)


def cell(estimate: Estimate | None, form: str = "{:.3f} ± {:.3f}") -> str:
    return form.format(*estimate) if estimate else "…"


def claims(rows: Rows, others: list[str]) -> list[Claim]:
    """Each about the cutoff at which the judge stands worst. `others`: the methods that should not be above it."""
    cutoffs, work = sorted(set(rows["rows"]["cutoff"])), _work(rows)
    early = [(len(mine), (mine["ess"] >= 100).mean()) for c, mine in work.groupby("cutoff") if c <= 20]
    return [
        _weakest("judge_is_calibrated", "The judge’s band of 90 % holds {value:.1%} of the hidden points, "
                 "at the cutoff where it is furthest off.", [_band(rows, c) for c in cutoffs], "between 0.87 and 0.93", 0.9),
        _weakest("doubling_changes_nothing", "Twice the bank and twice the steps change the judge’s likelihood "
                 "by {value:.4f} nats a point, at the cutoff where they change most.",
                 [lead(rows["rows"], "doubled", "exact", c) for c in cutoffs], "between -0.01 and 0.01", 0.0),
        _weakest("judge_is_not_beaten", "Of all methods at all cutoffs, the one nearest to the judge "
                 "is {value:.3f} nats a point above it.",
                 [lead(rows["rows"], name, "exact", c) for c in cutoffs for name in others], "<= 0.01", -9.0),
        _weakest("judge_is_large_enough", "At cutoffs up to 20 the judge has an effective size of 100 or more "
                 "for {value:.0%} of the curves, at the cutoff where it has least.",
                 [_share(*one) for one in early], ">= 0.9", 1.0),
        claim("judge_is_quick", "The judge takes {value:.2f} seconds a curve and cutoff.",
              metrics.estimate(torch.tensor(work["seconds"].to_numpy())) if len(work) > 1 else None, "<= 1"),
    ]  # fmt: skip


def _work(rows: Rows) -> pd.DataFrame:
    if "work" not in rows:
        return pd.DataFrame(columns=["cutoff", "ess", "seconds"])
    return rows["work"][rows["work"]["method"] == "exact"]


def _band(rows: Rows, cutoff: int) -> Estimate | None:
    """Share of the hidden points inside the judge's band of 90 %."""
    own = rows["calibration"][
        (rows["calibration"]["method"] == "exact") & (rows["calibration"]["cutoff"] == cutoff)
    ]
    row = own[(own["kind"] == "band") & (own["at"] == 0.9)]
    return Estimate(row["share"].iloc[0], row["se"].iloc[0]) if len(row) else None


def _weakest(name: str, sentence: str, found: list[Estimate | None], condition: str, wanted: float) -> Claim:
    """What is claimed of all holds if it holds of the one that stands worst: failed before open before held."""
    stated = [claim(name, sentence, estimate, condition) for estimate in found if estimate]
    order = {False: 0, None: 1, True: 2}

    def standing(one: Claim) -> tuple[int, float]:
        assert one.value is not None
        return order[one.holds()], -abs(one.value - wanted)

    return min(stated, key=standing) if stated else claim(name, sentence, None, condition)


def _share(n: int, share: float) -> Estimate:
    """With the error of a share of n curves, by Agresti and Coull, so that 0 and 1 have one too."""
    middle = (share * n + 2) / (n + 4)
    return Estimate(share, (middle * (1 - middle) / (n + 4)) ** 0.5)
