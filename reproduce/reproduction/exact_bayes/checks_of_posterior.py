"""May the judge be believed? What it did, and the claims that it must pass before it may charge a network with a loss."""

import pandas as pd

from curvecast.scores.metrics import Estimate
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.reproduction.exact_bayes.paired_methods import gaps, lead


def table(rows: Rows) -> pd.DataFrame:
    """A row for each cutoff."""
    found = []
    for cutoff, work in _work(rows).groupby("cutoff"):
        band = _band(rows, cutoff, 0.9)
        found.append({
            "seen": str(cutoff), "effective, low": f"{work['ess'].quantile(0.1):,.0f}",
            "effective": f"{work['ess'].median():,.0f}", "bank, low": f"{work['ess_bank'].quantile(0.1):,.0f}",
            "rises": f"{work['rises'].mean():.1f}", "seconds": f"{_seconds(work).mean():.2f}",
            "in 90 %": f"{band.value:.3f}" if band else "…",
            "doubled": cell(lead(rows["rows"], "doubled", "exact", cutoff), "+.4f"),
        })  # fmt: skip
    return pd.DataFrame(found)


def doubled_table(rows: Rows) -> pd.DataFrame:
    """What twice the bank and twice the steps change: on average, which is what is charged, and on single curves."""
    found = []
    for cutoff in sorted(set(rows["rows"]["cutoff"])):
        change = gaps(rows["rows"], "doubled", "exact", cutoff)
        if len(change):
            low, high = change.quantile([0.05, 0.95])
            found.append({
                "seen": str(cutoff), "curves": str(len(change)),
                "mean change": cell(lead(rows["rows"], "doubled", "exact", cutoff), "+.4f"),
                "median": f"{change.median():+.4f}", "90 % of the curves": f"{low:+.3f} to {high:+.3f}",
                "largest": f"{change[change.abs().idxmax()]:+.2f}",
            })  # fmt: skip
    return pd.DataFrame(found)


def bands_table(rows: Rows) -> pd.DataFrame:
    """How many of the hidden points the judge's central bands hold, a line for each cutoff."""
    bands = where(rows["calibration"], method="exact", kind="band")
    return pd.DataFrame(
        {"seen": str(cutoff)}
        | {
            f"{at:.0%} band".replace("%", " %"): Interval.with_error(100 * share, 100 * se).plus_minus(".1f")
            for at, share, se in own.to_numpy()
        }
        for cutoff, own in ((c, mine[["at", "share", "se"]]) for c, mine in bands.groupby("cutoff"))
    )


def cell(estimate: Estimate | None, form: str = ".3f") -> str:
    return Interval.with_error(*estimate).plus_minus(form) if estimate else "…"


def claims(rows: Rows, others: list[str]) -> list[Claim]:
    """Each about the cutoff at which the judge stands worst. `others`: the methods that should not be above it."""
    cutoffs, work = sorted(set(rows["rows"]["cutoff"])), _work(rows)
    large = {c: Interval.clopper_pearson(mine["ess"] >= 100) for c, mine in work.groupby("cutoff")}
    doubled = [Interval.of_mean(gaps(rows["rows"], "doubled", "exact", c)) for c in cutoffs]
    ahead = [Interval.of_mean(gaps(rows["rows"], name, "exact", c)) for c in cutoffs for name in others]
    size = (
        "the judge has an effective size of 100 or more for at least {least:.0%} of the curves, also where it stands worst: "
        "{value:.0%}."
    )
    return [
        _weakest("judge_is_calibrated", "The judge’s band of 90 % holds {least:.0%} to {most:.0%} of the hidden points, also "
                 "where it stands worst: {value:.1%}. A width wrong by so much costs less than 0.01 nats.",
                 [_band(rows, c, 0.9) for c in cutoffs],
                 "between 0.87 and 0.93", 0.9),
        _weakest("judge_is_calibrated_in_the_middle", "Its band of 50 % holds {least:.0%} to {most:.0%}, by the same price, "
                 "also where it stands worst: {value:.1%}.", [_band(rows, c, 0.5) for c in cutoffs],
                 "between 0.46 and 0.54", 0.5),
        _weakest("doubling_changes_nothing", "Twice the bank and twice the steps change the judge’s likelihood by "
                 "at most {most} nats a point, also where it stands worst: by {value:+.4f}.", doubled,
                 "between -0.01 and 0.01", 0.0),
        *_doubled_at(rows, cutoffs),
        _weakest("narrow_band_is_too_narrow", "The judge’s band of 10 % holds less than 10 % of the hidden points where it "
                 "stands worst: {value:.1%}.", [_band(rows, c, 0.1) for c in cutoffs], "< 0.1", 0.0, last=True),
        _weakest("judge_is_not_beaten", "No method here is more than {most} nats a point above the judge at any cutoff; the "
                 "one that comes nearest to that is at {value:+.3f}.", ahead, "<= 0.01", -9.0),
        _weakest("judge_is_large_enough", f"At cutoffs up to 20 {size}",
                 [share for c, share in large.items() if c <= 20], ">= 0.9", 1.0),
        _weakest("judge_is_large_enough_later", f"At cutoffs beyond 20 {size}",
                 [share for c, share in large.items() if c > 20], ">= 0.9", 1.0),
        _weakest("judge_is_quick", "The judge takes at most one second a curve, its bank included, also where it is "
                 "slowest: {value:.2f}.",
                 [Interval.of_mean(_seconds(mine)) for _, mine in work.groupby("cutoff")], "<= 1", 0.0),
    ]  # fmt: skip


def _doubled_at(rows: Rows, cutoffs: list[int]) -> list[Claim]:
    """The change at each cutoff by its name: where it stands worst need not be where it is surest."""
    return [
        claim(f"doubling_moves_at_{c}", f"After {c} epochs, twice the bank and twice the steps change the judge’s likelihood "
              "by at most 0.01 nats a point: {value:+.4f}.", Interval.of_mean(gaps(rows["rows"], "doubled", "exact", c)),
              "between -0.01 and 0.01")
        for c in cutoffs
    ]  # fmt: skip


def _work(rows: Rows) -> pd.DataFrame:
    if "work" not in rows:
        return pd.DataFrame(columns=["cutoff", "ess", "seconds"])
    return where(rows["work"], method="exact")


def _seconds(work: pd.DataFrame) -> pd.Series:
    """Of a curve, at one cutoff, with its share of the bank; a measurement is one call, which judges some curves."""
    each = work["seconds"] + (work["bank_seconds"] / len(work) if "bank_seconds" in work else 0.0)
    return each[~work["seconds"].duplicated()]


def _band(rows: Rows, cutoff: int, level: float) -> Interval | None:
    """Share of the hidden points inside the judge's band that should hold the share `level`."""
    row = where(rows["calibration"], method="exact", cutoff=cutoff, kind="band", at=level)
    if not len(row):
        return None
    return Interval.with_error(row["share"].iloc[0], row["se"].iloc[0])


def _weakest(
    name: str, sentence: str, found: list[Interval | None], condition: str, wanted: float, last: bool = False
) -> Claim:
    """What is claimed of all holds if it holds of the one that stands worst: failed before open before held. A flaw is there
    if it is there at one (`last`): held before open before failed."""
    stated = [claim(name, sentence, one, condition, limit=last) for one in found if one]
    order = {False: 0, None: 1, True: 2}

    def standing(one: Claim) -> tuple[int, float]:
        assert one.value is not None
        return order[one.holds()], -abs(one.value - wanted)

    worst = max if last else min
    return worst(stated, key=standing) if stated else claim(name, sentence, None, condition, limit=last)
