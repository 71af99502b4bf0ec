"""Why did the ports of the student blog score 1.9 to 3.5 where LC-PFN scored 0.0002?"""

from dataclasses import dataclass, field, replace
from functools import partial

import pandas as pd

from curvecast.curves import prior
from curvecast.training.train import TrainConfig, trained
from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.estimates import Estimates, grouped
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, over, where
from reproduce.porting.porting import checks, estimates, old_scores, old_training, same_weights, shown
from reproduce.porting.porting.estimates import ALONE, LABELS, Scores, difference, printed
from reproduce.porting.porting.old_training import TABLE, Length
from reproduce.trainings import SMALL, TINY

CUTOFF = 15  # of the student blog


@dataclass(frozen=True)
class Config:
    lcpfn: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    length: Length = Length()
    models: tuple[str, ...] = old_training.LAPTOP
    seeds: int = 3
    curves: int = 300  # of THE test set, the first ones
    group: int = 5  # curves that the old ports are tested on together
    rounds: int = 9  # of timing: with nine the 95 % interval of the median leaves out the two extreme ones
    timed: int = 20  # curves
    by_heart: int = 200  # steps to learn one batch


SCALES = {
    "smoke": Config(
        TINY["1x16"], Length(64, 4, 1, 1, 1), old_training.ALL, 1, curves=20, rounds=1, timed=2, by_heart=2
    ),
    "laptop": Config(seeds=2, curves=200),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(length=Length(2560, 8, 1200, 32, 60), models=old_training.ALL, curves=1000),
}
TABLES = {
    "equal": ("network", "norm", "cutoff", "difference", "largest", "parameters"),
    "times": ("what", "program", "round", "value", "lines"),
    "seen": ("network", "view", "row", "column", "value"),
    "checks": ("program", "check", "value", "wanted", "passes"),
    "each": ("curve", *estimates.COLUMNS, "model", "seed"),
    "ahead": ("ahead", "clean", "model", "seed"),
    "density": ("ll", "cover90", "model"),
}
SAID = ("noise_for_lc_pfn", "dropout", "attention_over_curves")  # of ALONE, by a sentence
STOPWATCHES = ("times.value",)
LABEL_FREE = {"few_lines": "a count of lines that stands in every row of the table"}


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.lcpfn] if part in ("simple", "checks") else []


def parts(config: Config) -> list[str]:
    """What is quick first, then a training each, all models of one seed before the next seed."""
    trainings = [f"{model}-{seed}" for seed in range(config.seeds) for model in config.models]
    return ["equal", "seen", "checks", "simple", *trainings]


def measure(config: Config, part: str) -> Rows:
    if part == "equal":
        return {
            "equal": same_weights.compare(config.timed),
            "times": same_weights.times(config.timed, config.rounds),
        }
    if part == "seen":
        return {"seen": checks.seen(CUTOFF)}
    curves = prior.test_set(config.curves)
    if part == "checks":
        return {"checks": checks.run(trained(config.lcpfn).model, curves, CUTOFF, config.by_heart)}
    if part == "simple":
        return old_scores.simple(trained(config.lcpfn), curves, CUTOFF)
    model, seed = part.rsplit("-", 1)
    course = replace(old_training.course(model, config.length), seed=int(seed))
    told = old_training.forecast(old_training.train(course), curves.noisy[:, :CUTOFF], course, config.group)
    return {
        table: rows.assign(seed=int(seed)) for table, rows in old_scores.rows(model, told, curves).items()
    }


# ------------------------------------------------------------------------------------------------- estimates


def reached(seen: pd.DataFrame) -> Estimates:
    """On how many points of its own curve, the third of a batch, and on how many of others does a forecast depend?"""
    last = where(seen, view="whole batch")
    whose = last["row"].map(lambda row: "own" if row == 2 else "others")
    return counted(last.assign(whose=whose, lit=last["value"] > 0), ["network", "whose"], "lit")


def counted(rows: pd.DataFrame, by: str | list[str], flag: str) -> Estimates:
    return grouped(rows, by, lambda own: Interval.exactly(float(own[flag].sum())))


# ---------------------------------------------------------------------------------------------------- shown

draw, tabulate = shown.draw, shown.tabulate


def claims(rows: Rows) -> list[Claim]:
    """What was not measured, or trained with one seed only, has no answer."""
    scored = estimates.scores(rows["each"])
    found = estimates.summed(estimates.means(scored))
    return [
        *claims_of_equality(rows["equal"], rows["times"]),
        *claims_of_connections(reached(rows["seen"])),
        *claims_of_checks(rows["checks"]),
        *claims_of_the_table(scored, found),
        *claims_of_rules(scored, found),
        *[Claim(f"alone_{name}", asks, difference(scored, one, other), Above(0))
          for name, (_, asks, one, other) in ALONE.items() if name in SAID],
        *claims_of_shapes(scored),
    ]  # fmt: skip


def claims_of_equality(equal: pd.DataFrame, times: pd.DataFrame) -> list[Claim]:
    stated = []
    for norm, place in (("post", "after the layers, as in the paper"), ("pre", "before the layers")):
        asks = f"With the norm {place}, does our port in stock layers give the logits of our network, up to rounding?"
        largest = where(equal, norm=norm)["difference"].max()
        stated.append(Claim(f"same_logits_{norm}", asks, Interval.exactly(largest), Below(0.00001)))
    asks = "Does the class of our port in stock layers need few lines of code, beside mask and density?"
    stated.append(Claim("few_lines", asks, Interval.exactly(times["lines"].max()), AtMost(40)))
    for what, name in (("training step", "slower_step"), ("forecast", "slower_forecast")):
        asks = f"Is a {what} of our network faster than one of our port in stock layers?"
        ratios = over(where(times, what=what), "program", "stock layers", "ours", "value")
        stated.append(Claim(name, asks, Interval.of_median(ratios), Above(1), "×"))
    return stated


def claims_of_connections(points: Estimates) -> list[Claim]:
    """The forecast after fifteen points: on how many points of its own curve does it depend, on how many of others?"""
    return [
        Claim("old_sees_own", "Does a forecast of the student blog’s port depend on more than one point of its own curve?",
              points.get(("old port", "own")), Above(1)),
        Claim("old_sees_others", "Is a forecast of the student blog’s port independent of the other curves in its batch?",
              points.get(("old port", "others")), AtMost(0)),
        Claim("mended_sees_own", "Does a forecast of the repaired port depend on all observed points of its own curve?",
              points.get(("mended", "own")), AtLeast(15)),
    ]  # fmt: skip


def claims_of_checks(found: pd.DataFrame) -> list[Claim]:
    passes, all_of_them = counted(found, "program", "passes"), found["check"].nunique()
    return [
        Claim("ours_passes", "Does our network pass all of our checks for a broken forecaster?",
              passes.get("ours"), AtLeast(all_of_them)),
        Claim("old_fails", "Does the student blog’s port pass more than a few of our checks for a broken forecaster?",
              passes.get("old port"), Above(2)),
        Claim("mended_passes", "Does the repaired port pass nearly all of our checks for a broken forecaster?",
              passes.get("mended port"), AtLeast(all_of_them - 2)),
    ]  # fmt: skip


OF_THE_TABLE = {  # what the page says of one port or another; the rest stands in the table
    "large_again", "large_loses", "large_mended_beats_last", "small_loses", "small_mended_beats_last",
    "small_free_again", "small_free_loses", "small_free_knows_nothing", "small_free_euclidean_again",
    "small_free_euclidean_loses", "small_free_euclidean_mended_beats_last",
}  # fmt: skip


def claims_of_the_table(scored: Scores, found: Estimates) -> list[Claim]:
    """In the unit of the blog: squared error against noisy points, summed over the steps."""
    less, last, stated = partial(difference, scored), ("last-value", "noisy"), []
    for model in TABLE:
        key, port = model.replace("-", "_"), f"the student blog’s port “{LABELS[model]}”"
        kept, noisy, mended = (model, "off"), (model, "noisy"), (f"{model}-mended", "noisy")
        stated += [
            Claim(f"{key}_again", f"Rebuilt with its faults, does {port} score in the order of magnitude that is printed?",
                  found.get(kept), Between(1, 7), "", printed(model, "mean")),
            Claim(f"{key}_loses", f"Is the squared error of {port}, rebuilt with its faults, no larger than that of "
                  "repeating the last value?", less(noisy, last), AtMost(0)),
            Claim(f"{key}_knows_nothing", f"Is the squared error of {port}, rebuilt with its faults, clearly smaller than "
                  "that of the mean of all curves?", less(noisy, ("prior-mean", "noisy")), AtMost(-0.5)),
            Claim(f"{key}_mended_beats_last", f"Repaired, does {port} have a smaller squared error than repeating the last "
                  "value?", less(last, mended), Above(0)),
        ]  # fmt: skip
    stated = [claim for claim in stated if claim.name in OF_THE_TABLE]
    asks = "Is the squared error of LC-PFN, counted as the student blog counts its ports, far larger than printed?"
    return [*stated, Claim("lcpfn_in_their_unit", asks, found.get(("lcpfn", "noisy")), Above(0.1))]


def claims_of_rules(scored: Scores, found: Estimates) -> list[Claim]:
    """What linear rules can do that read one value, or all fifteen."""
    last, one, all15 = ("last-value", "noisy"), ("rule-1", "noisy"), ("rule-15", "noisy")
    less = partial(difference, scored)
    reads_one = "the best linear rule that reads the last value alone"
    reads_all = "the best linear rule that reads all fifteen points"
    return [
        Claim("memoryless_scores", f"Run on its own forecasts, does {reads_one} score in the range of the student blog’s "
              "ports?", found.get(one), Between(1.9, 3.5)),
        Claim("memory_beats_last", f"Run on its own forecasts, does {reads_all} have a smaller squared error than repeating "
              "the last value?", less(last, all15), Above(0)),
        Claim("memoryless_direct", f"Fitted for each later epoch directly, is the squared error of {reads_one} at most a "
              "little above that of repeating this value?", less(("rule-1-direct", "noisy"), last), Below(0.1)),
    ]  # fmt: skip


def claims_of_shapes(scored: Scores) -> list[Claim]:
    """Far from the last observed point, on the same curves. In thousandths."""
    asks = "Over the last ten epochs, is the squared error (× 1,000) of “{}” smaller than that of “{}”?"
    return [
        Claim(name, asks.format(LABELS[one], LABELS[other]),
              difference(scored, (other, "far"), (one, "far"), 1000), Above(0))
        for name, one, other in (
            ("one_shot_beats_forced_far", "one-shot", "small-mended"),
            ("one_shot_beats_encoder_decoder_far", "one-shot", "encoder-decoder"),
            ("through_beats_forced_far", "small-free-mended", "small-mended"),
        )
    ]  # fmt: skip
