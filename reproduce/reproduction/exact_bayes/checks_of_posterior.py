"""Is the exact posterior computed exactly enough? Differences on the same curves, how its computation went, and claims that
would show that it is not exact."""

from collections.abc import Sequence

import pandas as pd

from reproduce._press.claim import AtLeast, AtMost, Between, Claim, Needs
from reproduce._press.estimates import Estimates, Rows, leads, minus, where, with_errors
from reproduce._press.intervals import Interval, in_cell


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    return minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll")


def below_exact(rows: pd.DataFrame) -> Estimates:
    """By method and cutoff: nats per point below the exact posterior, paired by curve."""
    return {
        (method, cutoff): above.negated()
        for cutoff, mine in rows.groupby("cutoff")
        for method, above in leads(mine, "method", "exact", "ll", "curve", Interval.of_many).items()
    }


def bands(rows: Rows) -> Estimates:
    """By cutoff and level: coverage of the central interval of the exact posterior."""
    curves = where(rows["rows"], method="exact").groupby("cutoff")["curve"].nunique()
    found = where(rows["calibration"], method="exact", kind="band")
    return with_errors(found.assign(n=found["cutoff"].map(curves)), ["cutoff", "at"], "share", "se")


def table(rows: Rows) -> pd.DataFrame:
    """A row for each cutoff."""
    lines, covered, change = [], bands(rows), below_exact(rows["rows"])
    for cutoff, work in where(rows["work"], method="exact").groupby("cutoff"):
        band, doubled = covered.get((cutoff, 0.9)), change.get(("doubled", cutoff))
        lines.append({
            "observed epochs": str(cutoff), "effective size, 10th percentile": f"{work['ess'].quantile(0.1):,.0f}",
            "effective size, median": f"{work['ess'].median():,.0f}",
            "effective size of the weighted prior curves alone, 10th percentile": f"{work['ess_bank'].quantile(0.1):,.0f}",
            "tempering steps": f"{work['rises'].mean():.1f}", "seconds per curve": f"{seconds(work).mean():.2f}",
            "coverage of 90 %": f"{band.value:.3f}" if band else "…",
            "change with twice the effort": in_cell(doubled and doubled.negated(), "+.4f"),
        })  # fmt: skip
    return pd.DataFrame(lines)


def claims(rows: Rows, others: list[str]) -> list[Claim]:
    """Each about the cutoff that is worst for the posterior. `others`: the methods that should not be above it."""
    cutoffs, work = sorted(set(rows["rows"]["cutoff"])), where(rows["work"], method="exact")
    large = {
        c: Interval.clopper_pearson(mine["ess"] >= 100)
        for c, mine in work.set_index("curve").groupby("cutoff")
    }
    doubled = {c: Interval.of_mean(gaps(rows["rows"], "doubled", "exact", c)) for c in cutoffs}
    ahead = [Interval.of_mean(gaps(rows["rows"], name, "exact", c)) for c in cutoffs for name in others]
    covers = "of the exact posterior have about the right coverage, also at its worst cutoff?"
    twice = (
        "do twice the prior curves and steps leave the log-likelihood of the exact posterior nearly unchanged"
    )
    worst = "also at the worst cutoff?"
    size = f"does the exact posterior have an effective sample size of 100 or more for nearly all curves, {worst}"
    found = bands(rows)

    def covered(level: float) -> list[Interval]:
        return [one for (_, at), one in found.items() if at == level]

    same, nats = Between(-0.01, 0.01), "nats per point"
    return [
        weakest("judge_is_calibrated", f"Does the 90 % interval {covers}", covered(0.9),
                 Between(0.87, 0.93), 0.9, "%"),  # a width wrong by so much costs less than 0.01 nats
        weakest("doubling_changes_nothing", f"{twice[:2].capitalize()}{twice[2:]}, {worst}", [*doubled.values()],
                 same, 0.0, nats),
        *(Claim(f"doubling_moves_at_{c}", f"After {c} epochs, {twice}?", doubled.get(c), same, nats) for c in (5, 70)),
        weakest("narrow_band_is_too_narrow", "Does the 10 % interval of the exact posterior contain at least its share of "
                 "the future points, " + worst, covered(0.1), AtLeast(0.1), 1.0, "%"),
        weakest("judge_is_not_beaten", "Is the exact posterior about as good as, or better than, every other method here?",
                 ahead, AtMost(0.01), -9.0, nats),
        weakest("judge_is_large_enough_later", f"After more than 20 epochs, {size}",
                 [share for c, share in large.items() if c > 20], AtLeast(0.9), 1.0, "%"),
    ]  # fmt: skip


def seconds(work: pd.DataFrame) -> pd.Series:
    """Per curve, at one cutoff, with its share of the bank; one measurement is one call, for several curves."""
    each = work["seconds"] + work["bank_seconds"] / len(work)
    return each[~work["seconds"].duplicated()]


def weakest(
    name: str, asks: str, found: Sequence[Interval | None], needs: Needs, wanted: float, unit: str
) -> Claim:
    """Of all cutoffs the worst: no before unclear before yes, then what is farthest from `wanted`."""
    stated = [Claim(name, asks, one.against(len(found)), needs, unit) for one in found if one]
    order = {False: 0, None: 1, True: 2}

    def standing(one: Claim) -> tuple[int, float]:
        assert one.value is not None
        return order[one.holds()], -abs(one.value - wanted)

    return min(stated, key=standing) if stated else Claim(name, asks, None, needs, unit)
