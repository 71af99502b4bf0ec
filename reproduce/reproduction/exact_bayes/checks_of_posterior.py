"""Is the exact posterior computed exactly enough? How its computation went, and claims that would show that it is not."""

import pandas as pd

from reproduce._press.claim import AtLeast, AtMost, Between, Claim, Needs
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, where
from reproduce.reproduction.exact_bayes.paired_methods import gaps, lead


def table(rows: Rows) -> pd.DataFrame:
    """A row for each cutoff."""
    found = []
    for cutoff, work in _work(rows).groupby("cutoff"):
        band = _band(rows, cutoff, 0.9)
        found.append({
            "observed epochs": str(cutoff), "effective size, 10th percentile": f"{work['ess'].quantile(0.1):,.0f}",
            "effective size, median": f"{work['ess'].median():,.0f}",
            "effective size of the weighted prior curves alone, 10th percentile": f"{work['ess_bank'].quantile(0.1):,.0f}",
            "tempering steps": f"{work['rises'].mean():.1f}", "seconds per curve": f"{_seconds(work).mean():.2f}",
            "coverage of 90 %": f"{band.value:.3f}" if band else "…",
            "change with twice the effort": in_cell(lead(rows["rows"], "doubled", "exact", cutoff), "+.4f"),
        })  # fmt: skip
    return pd.DataFrame(found)


def doubled_table(rows: Rows) -> pd.DataFrame:
    """What twice the bank and twice the steps change, on average and on single curves."""
    found = []
    for cutoff in sorted(set(rows["rows"]["cutoff"])):
        change = gaps(rows["rows"], "doubled", "exact", cutoff)
        if len(change):
            low, high = change.quantile([0.05, 0.95])
            found.append({
                "observed epochs": str(cutoff), "curves": str(len(change)),
                "mean change": in_cell(lead(rows["rows"], "doubled", "exact", cutoff), "+.4f"),
                "median": f"{change.median():+.4f}", "90 % of the curves": f"{low:+.3f} to {high:+.3f}",
                "largest change": f"{change[change.abs().idxmax()]:+.2f}",
            })  # fmt: skip
    return pd.DataFrame(found)


def bands_table(rows: Rows) -> pd.DataFrame:
    """Coverage of the central intervals of the exact posterior, a line for each cutoff."""
    bands = where(rows["calibration"], method="exact", kind="band")
    return pd.DataFrame(
        {"observed epochs": str(cutoff)}
        | {
            f"{at:.0%} interval".replace("%", " %"): Interval.with_error(100 * share, 100 * se).plus_minus(
                ".1f"
            )
            for at, share, se in own.to_numpy()
        }
        for cutoff, own in ((c, mine[["at", "share", "se"]]) for c, mine in bands.groupby("cutoff"))
    )


def claims(rows: Rows, others: list[str], asked: tuple[int, ...]) -> list[Claim]:
    """Each about the cutoff that is worst for the posterior. `others`: the methods that should not be above it."""
    cutoffs, work = sorted(set(rows["rows"]["cutoff"])), _work(rows)
    large = {c: Interval.clopper_pearson(mine["ess"] >= 100) for c, mine in work.groupby("cutoff")}
    doubled = {c: Interval.of_mean(gaps(rows["rows"], "doubled", "exact", c)) for c in cutoffs}
    ahead = [Interval.of_mean(gaps(rows["rows"], name, "exact", c)) for c in cutoffs for name in others]
    seconds = [Interval.of_mean(_seconds(mine)) for _, mine in work.groupby("cutoff")]
    covers, worst = (
        "of the exact posterior have about the right coverage, also at its worst cutoff?",
        "also at the worst cutoff?",
    )
    twice = (
        "do twice the prior curves and steps leave the log-likelihood of the exact posterior nearly unchanged"
    )
    size = (
        "does the exact posterior have an effective sample size of 100 or more for nearly all curves, "
        + worst
    )
    same, nats = Between(-0.01, 0.01), "nats per point"
    return [
        _weakest("judge_is_calibrated", f"Does the 90 % interval {covers}", [_band(rows, c, 0.9) for c in cutoffs],
                 Between(0.87, 0.93), 0.9, "%"),  # a width wrong by so much costs less than 0.01 nats
        _weakest("judge_is_calibrated_in_the_middle", f"Does the 50 % interval {covers}",
                 [_band(rows, c, 0.5) for c in cutoffs], Between(0.46, 0.54), 0.5, "%"),  # the same
        _weakest("doubling_changes_nothing", f"{twice[:2].capitalize()}{twice[2:]}, {worst}", [*doubled.values()],
                 same, 0.0, nats),
        *(Claim(f"doubling_moves_at_{c}", f"After {c} epochs, {twice}?", doubled.get(c), same, nats) for c in asked),
        _weakest("narrow_band_is_too_narrow", "Does the 10 % interval of the exact posterior contain at least its share of "
                 "the future points, " + worst, [_band(rows, c, 0.1) for c in cutoffs], AtLeast(0.1), 1.0, "%"),
        _weakest("judge_is_not_beaten", "Is the exact posterior about as good as, or better than, every other method here?",
                 ahead, AtMost(0.01), -9.0, nats),
        _weakest("judge_is_large_enough", f"After up to 20 epochs, {size}",
                 [share for c, share in large.items() if c <= 20], AtLeast(0.9), 1.0, "%"),
        _weakest("judge_is_large_enough_later", f"After more than 20 epochs, {size}",
                 [share for c, share in large.items() if c > 20], AtLeast(0.9), 1.0, "%"),
        _weakest("judge_is_quick", "Is the exact posterior of a curve quick to compute, also at the slowest cutoff, with the "
                 "time for the prior curves shared out among all test curves?", seconds, AtMost(1), 0.0, "s"),
    ]  # fmt: skip


def _work(rows: Rows) -> pd.DataFrame:
    if "work" not in rows:
        return pd.DataFrame(columns=["cutoff", "ess", "seconds"])
    return where(rows["work"], method="exact")


def _seconds(work: pd.DataFrame) -> pd.Series:
    """Per curve, at one cutoff, with its share of the bank; one measurement is one call, for several curves."""
    each = work["seconds"] + (work["bank_seconds"] / len(work) if "bank_seconds" in work else 0.0)
    return each[~work["seconds"].duplicated()]


def _band(rows: Rows, cutoff: int, level: float) -> Interval | None:
    """Coverage of the central interval of this level of the exact posterior."""
    row = where(rows["calibration"], method="exact", cutoff=cutoff, kind="band", at=level)
    if not len(row):
        return None
    return Interval.with_error(row["share"].iloc[0], row["se"].iloc[0])


def _weakest(
    name: str, asks: str, found: list[Interval | None], needs: Needs, wanted: float, unit: str
) -> Claim:
    """Of all cutoffs the worst: no before unclear before yes, then what is farthest from `wanted`."""
    stated = [Claim(name, asks, one, needs, unit) for one in found if one]
    order = {False: 0, None: 1, True: 2}

    def standing(one: Claim) -> tuple[int, float]:
        assert one.value is not None
        return order[one.holds()], -abs(one.value - wanted)

    return min(stated, key=standing) if stated else Claim(name, asks, None, needs, unit)
