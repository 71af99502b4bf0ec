"""Where it stops working, as sentences that can fail. What was not measured has no verdict.

What says that a forecast fails is a limit: confirmed it means that the failure is real. Intervals are over curves, paired
where two are compared.
"""

import pandas as pd
import torch

from curvecast.curves.outside_prior import OWN
from curvecast.scores import metrics
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where

BROKEN, WITHIN, TIMID, NARROW = (
    "< 0.8",
    "between 0.85 and 0.95",
    "> 0.93",
    "< 0.87",
)  # what may become of a band of 90 %
HOLDS = {
    BROKEN: "holds less than {most:.0%}", WITHIN: "holds {least:.0%} to {most:.0%}", TIMID: "holds more than {least:.0%}",
    NARROW: "holds less than {most:.0%}",
}  # fmt: skip

STRANGE = (  # name, kind of curve, epochs seen, what the sentence begins with, condition
    ("rate_drop", "learning rate drops", 20, "If the learning rate drops at epoch 50 and 20 epochs were seen,", BROKEN),
    ("overfitting", "overfits", 40, "If a curve has been falling for the last ten of the 40 epochs seen,", BROKEN),
    ("divergence", "diverges", 20, "If a run diverges, then after 20 epochs", BROKEN),
    ("loss_not_turned", "loss, not turned", 10, "If a loss is handed over as it is, then after ten epochs", BROKEN),
    ("percent", "in percent", 20, "If scores come in percent,", BROKEN),
    ("heavy_tails", "heavy-tailed noise", 20, "Under heavy-tailed noise of the usual size, after 20 epochs,", WITHIN),
    ("shrinking_noise", "shrinking noise", 40, "If the noise shrinks to a third, then after 40 epochs", TIMID),
    ("spikes", "spikes", 20, "If each tenth point is a spike, then after 20 epochs", TIMID),
)  # fmt: skip
GAPS = (  # name, what was seen, what the sentence begins with, condition
    ("every_second", "every second", "With every second of 20 epochs missing, the 90 % band", NARROW),
    ("every_tenth", "every tenth", "With epochs 10 and 20 alone, it", BROKEN),
    ("renumbered", "every tenth, renumbered", "With the same two points, renumbered as epochs 1 and 2, it", WITHIN),
    ("first_five_missing", "without the first five", "Without the first five epochs it", WITHIN),
    ("asked_for_the_past", "asked: the first five", "Asked for epochs 1 to 5 after 6 to 20, it", BROKEN),
)  # fmt: skip


def claims(rows: Rows, cutoffs: tuple[int, ...], distances: tuple[int, ...]) -> list[Claim]:
    return [
        *strange(rows), *ahead(rows, min(distances), max(distances)), *long(rows, cutoffs[0], cutoffs[-1]),
        *gaps(rows), *best(rows), *measures(rows), *machine(rows),
    ]  # fmt: skip


def pick(rows: Rows, table: str, column: str, **values: object) -> pd.Series | None:
    """One value a curve, in the order of the curves; None where this was not measured."""
    if table not in rows:
        return None
    frame = where(rows[table], **values)
    return frame.set_index("curve")[column].sort_index() if len(frame) else None


def mean(values: pd.Series | None) -> Interval | None:
    if values is None:
        return None
    return Interval.with_error(*metrics.estimate(torch.tensor(values.to_numpy(dtype=float))))


def difference(a: pd.Series | None, b: pd.Series | None) -> Interval | None:
    return None if a is None or b is None else mean(a - b)


def ratio(a: pd.Series | None, b: pd.Series | None) -> Interval | None:
    """Of two means on the same curves; its standard error to first order."""
    if a is None or b is None:
        return None
    value = a.mean() / b.mean()
    return Interval.with_error(float(value), float((a - value * b).std() / len(a) ** 0.5 / b.mean()))


def strange(rows: Rows) -> list[Claim]:
    stated = []
    for name, case, cutoff, begin, condition in STRANGE:
        sentence = (
            f"{begin} the 90 % band {HOLDS[condition]} of the points at epochs 61, 76 and 100: {{value:.0%}}."
        )
        held = mean(pick(rows, "strange", "cover90", case=case, cutoff=cutoff))
        stated.append(claim(name, sentence, held, condition, limit=condition != WITHIN))
    own, spiky = (pick(rows, "strange", "ll", case=case, cutoff=20) for case in (OWN, "spikes"))
    sentence = (
        "Two spikes among 20 points cost likelihood at each later point that is no spike: {value:.2f} nats."
    )
    return [*stated, claim("spikes_cost", sentence, difference(own, spiky), "> 0", limit=True)]


def ahead(rows: Rows, near: int, far: int) -> list[Claim]:
    errors = (pick(rows, "ahead", "error", ahead=distance) for distance in (far, near))
    held = mean(pick(rows, "ahead", "cover90", ahead=far))
    grows = f"After ten epochs the error {far} epochs ahead is more than twice the error {near} ahead: {{value:.1f}} times."
    honest = (
        f"The 90 % band holds {{least:.0%}} to {{most:.0%}} of the points {far} epochs ahead: {{value:.1%}}."
    )
    return [
        claim("error_grows", grows, ratio(*errors), "> 2", limit=True),
        claim("far_is_honest", honest, held, "between 0.87 and 0.93"),
    ]


def long(rows: Rows, few: int, many: int) -> list[Claim]:
    """`few` and `many` are shares of the curve that were seen, in percent."""

    def of(case: str, column: str, share: int = few) -> pd.Series | None:
        return pick(rows, "long", column, case=f"every {case}", cutoff=share)

    thinned, numbered, whole = "fourth, renumbered", "fourth, not renumbered", "epoch, asked beyond 100"
    honest = (
        "With 400 epochs thinned to 100 and ten of these seen, the 90 % band holds {least:.0%} to {most:.0%}: "
        "{value:.0%}."
    )
    loses = (
        f"With {few} % seen, all {4 * few} epochs instead of every fourth gain: {{value:.2f}} nats a point."
    )
    beyond = f"Asked beyond epoch 100 after {4 * many} epochs seen, the band holds less than {{most:.0%}}: {{value:.0%}}."
    as_are = "If the thinned epochs keep their numbers, it holds less than {most:.0%}: {value:.0%}."
    return [
        claim("thinned_is_honest", honest, mean(of(thinned, "cover90")), WITHIN),
        claim("thinning_loses", loses, difference(of(whole, "ll"), of(thinned, "ll")), "> 0", limit=True),
        claim("beyond_100", beyond, mean(of(whole, "cover90", many)), NARROW, limit=True),
        claim("not_renumbered", as_are, mean(of(numbered, "cover90")), BROKEN, limit=True),
    ]


def gaps(rows: Rows) -> list[Claim]:
    stated = []
    for name, case, begin, condition in GAPS:
        sentence = f"{begin} {HOLDS[condition]}: {{value:.0%}}."
        held = mean(pick(rows, "gaps", "cover90", case=case))
        stated.append(claim(name, sentence, held, condition, limit=condition != WITHIN))
    return stated


def best(rows: Rows) -> list[Claim]:
    def of(column: str) -> pd.Series | None:
        return pick(rows, "best", column, cutoff=10, margin=0.05)

    place = pick(rows, "place", "independent", cutoff=10)
    held = None if place is None else mean(((place > 0.05) & (place < 0.95)).astype(float))
    band = (
        "With epochs taken as independent, the 90 % band of the best remaining point holds it in less than "
        "{most:.0%} of the cases: {value:.0%}."
    )
    over = "That the best of ten epochs is beaten by 0.05, independence says too often, by more than {least}: {value:.2f}."
    under = (
        "The likeliest epoch alone, the paper's way, says it too rarely, by more than {least}: {value:.2f}."
    )
    honest = (
        "That the last epoch beats it is said as often as it happened, but for at most {most}: {value:+.3f}."
    )
    return [
        claim("independent_band", band, held, BROKEN, limit=True),
        claim(
            "independent_overstates",
            over,
            difference(of("independent"), of("happened")),
            "> 0.05",
            limit=True,
        ),
        claim(
            "likeliest_understates", under, difference(of("happened"), of("largest")), "> 0.05", limit=True
        ),
        claim(
            "last_is_honest", honest, difference(of("last"), of("last_happened")), "between -0.05 and 0.05"
        ),
    ]


def measures(rows: Rows) -> list[Claim]:
    ll, squared = (pick(rows, "measures", name, rival="pow4", cutoff=10) for name in ("ll", "mse_noisy"))
    share = None if ll is None or squared is None else mean(((ll > 0) != (squared > 0)).astype(float))
    sentence = (
        "For more than {least:.0%} of the curves likelihood and squared error name different winners, network "
        "or pow4: {value:.0%}."
    )
    return [claim("measures_disagree", sentence, share, "> 0.1", limit=True)]


def machine(rows: Rows) -> list[Claim]:
    """Nothing here is drawn by chance, so a number is its own interval. In millionths."""
    found = rows["machine"].set_index("setting") if "machine" in rows else None

    def largest(settings: list[str], columns: list[str]) -> Interval | None:
        return (
            None
            if found is None
            else Interval.exactly(1e6 * float(found.loc[settings, columns].to_numpy().max()))
        )

    other = ["AVX2 at most", "no wide vectors"]
    threads = "Two threads instead of one change neither forecasts nor weights: {value:.0f} millionths."
    agree = "Other instructions of the same processor change no log-density by {most} millionths: {value:.0f} at most."
    differ = (
        "A short training with other instructions ends in other weights, apart by more than nothing: {value:.1f} "
        "millionths at most."
    )
    return [
        claim("threads_same_bits", threads, largest(["two threads"], ["ll", "weights"]), "<= 0"),
        claim("instructions_agree", agree, largest(other, ["ll"]), "< 1000"),
        claim("instructions_other_weights", differ, largest(other, ["weights"]), "> 0", limit=True),
    ]
