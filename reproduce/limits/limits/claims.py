"""Where the network stops working, as questions that can be answered no. What was not measured has no answer.

Intervals are over curves, paired where two forecasts of the same curves are compared.
"""

import pandas as pd

from curvecast.curves.outside_prior import OWN
from reproduce._press.claim import AtLeast, AtMost, Below, Between, Claim, Needs
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where

COVERS, RIGHT, NOT_WIDE, NARROW = AtLeast(0.8), Between(0.85, 0.95), AtMost(0.93), AtLeast(0.87)
OURS = "the 90 % interval of our 3 × 128 network"
ASKS = {COVERS: "still cover the points", RIGHT: "keep its coverage", NOT_WIDE: "avoid over-coverage"}

STRANGE = (  # name, kind of curve, observed epochs, how the question begins, what yes needs
    ("rate_drop", "learning rate drops", 20, "If the learning rate drops after epoch 50, does", COVERS),
    ("overfitting", "overfits", 40, "If a curve has been falling since epoch 30, does", COVERS),
    ("divergence", "diverges", 20, "If a run diverges after epoch 55, does", COVERS),
    ("loss_not_turned", "loss, not turned", 10, "If the values are a loss, which falls, does", COVERS),
    ("percent", "in percent", 20, "If the values are percentages, does", COVERS),
    ("heavy_tails", "heavy-tailed noise", 20, "If the noise is heavy-tailed, does", RIGHT),
    ("shrinking_noise", "shrinking noise", 40, "If the noise shrinks to a third, does", NOT_WIDE),
    ("spikes", "spikes", 20, "If every tenth point is an outlier, does", NOT_WIDE),
)
GAPS = (  # name, what was observed, the question, what yes needs
    ("every_second", "every second", f"Given every second of 20 epochs, does {OURS} keep its coverage?", NARROW),
    ("every_tenth", "every tenth", f"Given epochs 10 and 20 alone, does {OURS} still cover later points?", COVERS),
    ("renumbered", "every tenth, renumbered",
     f"Given epochs 10 and 20, renumbered as 1 and 2, does {OURS} keep its coverage?", RIGHT),
    ("first_five_missing", "without the first five", f"Given epochs 6 to 20 alone, does {OURS} keep its coverage?", RIGHT),
    ("asked_for_the_past", "asked: the first five", f"Given epochs 6 to 20, does {OURS} cover epochs 1 to 5?", COVERS),
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
    return None if values is None else Interval.of_many(values)


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
    for name, case, cutoff, begin, needs in STRANGE:
        asks = f"{begin} {OURS} after {cutoff} epochs {ASKS[needs]} at epochs 61, 76 and 100?"
        covered = mean(pick(rows, "strange", "cover90", case=case, cutoff=cutoff))
        stated.append(Claim(name, asks, covered, needs, "%"))
    own, spiky = (pick(rows, "strange", "ll", case=case, cutoff=20) for case in (OWN, "spikes"))
    asks = "Do two outliers among 20 points leave the score of our 3 × 128 network on later points as it is?"
    return [*stated, Claim("spikes_cost", asks, difference(own, spiky), AtMost(0), "nats per point")]


def ahead(rows: Rows, near: int, far: int) -> list[Claim]:
    errors = (pick(rows, "ahead", "error", ahead=distance) for distance in (far, near))
    covered = mean(pick(rows, "ahead", "cover90", ahead=far))
    after = "After ten epochs of the prior’s own curves,"
    grows = (
        f"{after} is the error of our 3 × 128 network {far} epochs ahead close to its error one epoch ahead?"
    )
    honest = f"{after} is the coverage of {OURS} right {far} epochs ahead?"
    return [
        Claim("error_grows", grows, ratio(*errors), AtMost(2), "×"),
        Claim("far_is_honest", honest, covered, Between(0.87, 0.93), "%"),
    ]


def long(rows: Rows, few: int, many: int) -> list[Claim]:
    """`few` and `many` are shares of the curve that were observed, in percent."""

    def of(case: str, column: str, share: int = few) -> pd.Series | None:
        return pick(rows, "long", column, case=f"every {case}", cutoff=share)

    thinned, numbered, whole = "fourth, renumbered", "fourth, not renumbered", "epoch, asked beyond 100"
    thin = f"On curves of 400 epochs, with every fourth of the first {4 * few}"
    loses = f"With {4 * few} of 400 epochs observed, does our 3 × 128 network score as high given every fourth as given all?"
    beyond = (
        f"Does {OURS} keep its coverage beyond epoch 100, where it was not trained, after {4 * many} epochs?"
    )
    return [
        Claim("thinned_is_honest", f"{thin} observed and renumbered, does {OURS} keep its coverage?",
              mean(of(thinned, "cover90")), RIGHT, "%"),
        Claim("thinning_loses", loses, difference(of(whole, "ll"), of(thinned, "ll")), AtMost(0), "nats per point"),
        Claim("beyond_100", beyond, mean(of(whole, "cover90", many)), NARROW, "%"),
        Claim("not_renumbered", f"{thin} observed under its own number, does {OURS} still cover later points?",
              mean(of(numbered, "cover90")), COVERS, "%"),
    ]  # fmt: skip


def gaps(rows: Rows) -> list[Claim]:
    return [
        Claim(name, asks, mean(pick(rows, "gaps", "cover90", case=case)), needs, "%")
        for name, case, asks, needs in GAPS
    ]


def best(rows: Rows) -> list[Claim]:
    def of(column: str) -> pd.Series | None:
        return pick(rows, "best", column, cutoff=10, margin=0.05)

    place = pick(rows, "place", "independent", cutoff=10)
    inside = None if place is None else mean(((place > 0.05) & (place < 0.95)).astype(float))
    band = f"With epochs treated as independent, does {OURS} for the best later value cover that value?"
    beats = "{}, avoid {} how often a later epoch beats the best of ten by a clear margin?"
    over = beats.format("Do our 3 × 128 network’s epochs, treated as independent", "overstating")
    under = beats.format("Does our 3 × 128 network’s likeliest epoch alone, as in the paper", "understating")
    last = "Is the forecast of our 3 × 128 network right on how often epoch 100 beats the best of ten by a clear margin?"
    return [
        Claim("independent_band", band, inside, COVERS, "%"),
        Claim("independent_overstates", over, difference(of("independent"), of("happened")), AtMost(0.05)),
        Claim("likeliest_understates", under, difference(of("happened"), of("largest")), AtMost(0.05)),
        Claim("last_is_honest", last, difference(of("last"), of("last_happened")), Between(-0.05, 0.05)),
    ]


def measures(rows: Rows) -> list[Claim]:
    ll, squared = (pick(rows, "measures", name, rival="pow4", cutoff=10) for name in ("ll", "mse_noisy"))
    share = None if ll is None or squared is None else mean(((ll > 0) != (squared > 0)).astype(float))
    asks = "Do log-likelihood and squared error prefer different forecasts (our 3 × 128 network or pow4) on few curves only?"
    return [Claim("measures_disagree", asks, share, AtMost(0.1), "%")]


def machine(rows: Rows) -> list[Claim]:
    """Nothing here is drawn by chance, so a number is its own interval. In millionths."""
    found = rows["machine"].set_index("setting") if "machine" in rows else None

    def claim(name: str, asks: str, settings: list[str], columns: list[str], needs: Needs) -> Claim:
        if found is None:
            return Claim(name, asks, None, needs, "millionths")
        largest = 1e6 * float(found.loc[settings, columns].to_numpy().max())
        return Claim(name, asks, Interval.exactly(largest), needs, "millionths")

    threads = "Do two threads give the same forecasts and weights, bit for bit, as one thread?"
    agree = "Do other instructions of the same processor give about the same log-densities?"
    same = "Does a short training end in the same weights, bit for bit, with other instructions of the same processor?"
    other = ["AVX2 at most", "no wide vectors"]
    return [
        claim("threads_same_bits", threads, ["two threads"], ["ll", "weights"], AtMost(0)),
        claim("instructions_agree", agree, other, ["ll"], Below(1000)),
        claim("instructions_other_weights", same, other, ["weights"], AtMost(0)),
    ]
