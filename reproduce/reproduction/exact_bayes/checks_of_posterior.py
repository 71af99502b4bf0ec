"""Is the exact posterior computed exactly enough? Differences on the same curves, how its computation went, and claims that
would show that it is not exact."""

from collections.abc import Collection

import pandas as pd

from presswork import AtLeast, AtMost, Between, Claim, Estimates, Interval, Rows, there, where
from presswork.claim import Needs
from presswork.estimates import Columns, cells, minus, those_of, with_errors

BAND, LARGE, AHEAD = "band", "large effective size", "ahead of it"


def gaps(rows: pd.DataFrame, ours: str, theirs: str, cutoff: int) -> pd.Series:
    """Nats per point that one method is above another on each curve that both have."""
    return minus(where(rows, cutoff=cutoff), "method", ours, theirs, "ll")


def estimates(rows: Rows, others: list[str]) -> Estimates:
    """{(BAND, cutoff, level): coverage of that central interval; (LARGE, cutoff): share of large effective sizes;
    (AHEAD, cutoff, one of `others`): how far that is above the posterior}"""
    exact, work = (where(rows[name], method="exact") for name in ("rows", "work"))
    curves, cutoffs = exact.groupby("cutoff")["curve"].nunique(), sorted(set(rows["rows"]["cutoff"]))
    bands = where(rows["calibration"], method="exact", kind="band")
    bands = with_errors(bands.assign(n=bands["cutoff"].map(curves)), ["cutoff", "at"], "share", "se")
    by_cutoff = work.set_index("curve").groupby("cutoff")["ess"]
    large = {(LARGE, c): Interval.clopper_pearson(sizes >= 100) for c, sizes in by_cutoff}
    above = {(AHEAD, c, one): gaps(rows["rows"], one, "exact", c) for c in cutoffs for one in others}
    ahead = {key: Interval.of_mean(one) for key, one in above.items()}
    return {(BAND, *key): one for key, one in bands.items()} | there(large | ahead)


def table(rows: Rows, found: Estimates) -> pd.DataFrame:
    """A row for each cutoff."""
    columns: Columns = {
        (BAND, ..., 0.9): ("coverage of 90 %", "{0.value:.3f}".format),
        ("doubled", ...): ("change with twice the effort", lambda lost: lost.negated().plus_minus("+.4f")),
    }
    return pd.DataFrame([
        {"observed epochs": str(cutoff), "effective size, 10th percentile": f"{work['ess'].quantile(0.1):,.0f}",
         "effective size, median": f"{work['ess'].median():,.0f}",
         "effective size of the weighted prior curves alone, 10th percentile": f"{work['ess_bank'].quantile(0.1):,.0f}",
         "tempering steps": f"{work['rises'].mean():.1f}", "seconds per curve": f"{seconds(work).mean():.2f}"}
        | cells(found, cutoff, columns, missing="…")
        for cutoff, work in where(rows["work"], method="exact").groupby("cutoff")
    ])  # fmt: skip


def claims(found: Estimates) -> list[Claim]:
    """Each about the cutoff that is worst for the posterior."""
    covers = "of the exact posterior have about the right coverage, also at its worst cutoff?"
    score, worst = "the log-likelihood of the exact posterior", "also at the worst cutoff?"
    twice = f"do twice the prior curves and steps leave {score} nearly unchanged"
    size = f"does the exact posterior have an effective sample size of 100 or more for nearly all curves, {worst}"

    def covered(level: float) -> list[Interval]:
        return [one for (_, at), one in those_of(found, BAND).items() if at == level]

    same, nats = Between(-0.01, 0.01), "nats per point"
    doubled = {c: one.negated() for c, one in those_of(found, "doubled").items()}
    return [
        weakest("judge_is_calibrated", f"Does the 90 % interval {covers}", covered(0.9),
                 Between(0.87, 0.93), 0.9, "%"),  # a width wrong by so much costs less than 0.01 nats
        weakest("doubling_changes_nothing", f"{twice[:2].capitalize()}{twice[2:]}, {worst}", doubled.values(),
                 same, 0.0, nats),
        *(Claim(f"doubling_moves_at_{c}", f"After {c} epochs, {twice}?", doubled.get(c), same, nats) for c in (5, 70)),
        weakest("narrow_band_is_too_narrow", "Does the 10 % interval of the exact posterior contain at least its share of "
                 "the future points, " + worst, covered(0.1), AtLeast(0.1), 1.0, "%"),
        weakest("judge_is_not_beaten", "Is the exact posterior about as good as, or better than, every other method here?",
                 those_of(found, AHEAD).values(), AtMost(0.01), -9.0, nats),
        weakest("judge_is_large_enough_later", f"After more than 20 epochs, {size}",
                 [share for c, share in those_of(found, LARGE).items() if c > 20], AtLeast(0.9), 1.0, "%"),
    ]  # fmt: skip


def seconds(work: pd.DataFrame) -> pd.Series:
    """Per curve, at one cutoff, with its share of the bank; one measurement is one call, for several curves."""
    each = work["seconds"] + work["bank_seconds"] / len(work)
    return each[~work["seconds"].duplicated()]


def weakest(
    name: str, asks: str, found: Collection[Interval], needs: Needs, wanted: float, unit: str
) -> Claim:
    """Of all cutoffs the worst: no before unclear before yes, then what is farthest from `wanted`."""
    rivals = max(2, len(found))  # also while only one is measured
    stated = [Claim(name, asks, one.against(rivals), needs, unit) for one in found]
    order = {False: 0, None: 1, True: 2}

    def standing(one: Claim) -> tuple[int, float]:
        assert one.value is not None
        return order[one.holds()], -abs(one.value - wanted)

    return min(stated, key=standing) if stated else Claim(name, asks, None, needs, unit)
