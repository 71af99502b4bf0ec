"""What is claimed of the ports, as questions. What was not measured, or trained with one seed only, has no answer."""

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Below, Between, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, over
from reproduce.porting.porting import rows as said
from reproduce.porting.porting.old_scores import STEPS
from reproduce.porting.porting.ports_by_name import TABLE
from reproduce.porting.porting.tables import LABELS, printed


def claims(rows: Rows) -> list[Claim]:
    each = rows.get("each")
    return [
        *equality(rows),
        *gradients(rows),
        *checks(rows),
        *table(each),
        *rules(each),
        *alone(each),
        *shapes(each),
    ]


def equality(rows: Rows) -> list[Claim]:
    stated = []
    for norm, where in (("post", "after the layers, as in the paper"), ("pre", "before the layers")):
        found = rows.get("equal")
        mine = None if found is None else found[found["norm"] == norm]
        largest = None if mine is None else float(mine["difference"].max())
        asks = f"With the norm {where}, does our port in stock layers give the logits of our network, up to rounding?"
        stated.append(Claim(f"same_logits_{norm}", asks, Interval.exactly(largest), Below(0.00001)))
    times = rows.get("times")
    count = None if times is None else float(times["lines"].iloc[0])
    asks = "Does the class of our port in stock layers need few lines of code, beside mask and density?"
    stated.append(Claim("few_lines", asks, Interval.exactly(count), AtMost(40)))
    for what, name in (("training step", "slower_step"), ("forecast", "slower_forecast")):
        asks = f"Is a {what} of our network faster than one of our port in stock layers?"
        mine = None if times is None else times[times["what"] == what]
        ratios = [] if mine is None else over(mine, "program", "stock layers", "ours", "value")
        stated.append(Claim(name, asks, Interval.of_median(ratios), Above(1), "×"))
    return stated


def gradients(rows: Rows) -> list[Claim]:
    """The forecast after fifteen points: on how many points of its own curve does it depend, on how many of others?"""
    seen, stated = rows.get("seen"), []
    for network, name, called in (
        ("old port", "old", "the student blog’s port"), ("mended", "mended", "the repaired port"), ("LC-PFN", "pfn", "LC-PFN")
    ):  # fmt: skip
        counts: dict[str, float | None] = {"own": None, "others": None}
        if seen is not None:
            mine = seen[(seen["network"] == network) & (seen["view"] == "whole batch") & (seen["value"] > 0)]
            counts = {"own": float((mine["row"] == 2).sum()), "others": float((mine["row"] != 2).sum())}
        many, needs = (
            ("more than one point", Above(1)) if name == "old" else ("all observed points", AtLeast(15))
        )
        own = f"Does a forecast of {called} depend on {many} of its own curve?"
        others = f"Is a forecast of {called} independent of the other curves in its batch?"
        stated.append(Claim(f"{name}_sees_own", own, Interval.exactly(counts["own"]), needs))
        stated.append(Claim(f"{name}_sees_others", others, Interval.exactly(counts["others"]), AtMost(0)))
    return stated


def checks(rows: Rows) -> list[Claim]:
    found = rows.get("checks")
    passed: dict[str, float | None] = {"ours": None, "old port": None, "mended port": None}
    total = 0
    if found is not None:
        passed |= found.groupby("program")["passes"].sum().astype(float).to_dict()
        total = int(found["check"].nunique())
    asked = {
        "ours_passes": ("Does our network pass all", "ours", AtLeast(total)),
        "old_fails": ("Does the student blog’s port pass more than a few", "old port", Above(2)),
        "mended_passes": ("Does the repaired port pass nearly all", "mended port", AtLeast(total - 2)),
    }
    return [
        Claim(
            name, f"{begin} of our checks for a broken forecaster?", Interval.exactly(passed[program]), needs
        )
        for name, (begin, program, needs) in asked.items()
    ]


def table(each: pd.DataFrame | None) -> list[Claim]:
    """In the unit of the blog: squared error against noisy points, summed over the steps."""
    stated = []
    last = ("last-value", "noisy")
    for model in TABLE:
        key, port = model.replace("-", "_"), f"the student blog’s port “{LABELS[model]}”"
        kept, noisy, mended = (model, "off"), (model, "noisy"), (f"{model}-mended", "noisy")
        stated += [
            Claim(f"{key}_again", f"Rebuilt with its faults, does {port} score in the order of magnitude that is printed?",
                  said.mean(each, *kept, STEPS), Between(1, 7), "", printed(model, "mean")),
            Claim(f"{key}_loses", f"Is the squared error of {port}, rebuilt with its faults, no larger than that of "
                  "repeating the last value?", said.difference(each, noisy, last, STEPS), AtMost(0)),
            Claim(f"{key}_knows_nothing", f"Is the squared error of {port}, rebuilt with its faults, clearly smaller than "
                  "that of the mean of all curves?",
                  said.difference(each, noisy, ("prior-mean", "noisy"), STEPS), AtMost(-0.5)),
            Claim(f"{key}_mended_beats_last", f"Repaired, does {port} have a smaller squared error than repeating the last "
                  "value?", said.difference(each, last, mended, STEPS), Above(0)),
            Claim(f"{key}_mended_helps", f"Does repairing {port} lower its squared error?",
                  said.difference(each, kept, mended, STEPS), Above(0)),
        ]  # fmt: skip
    asks = "Is the squared error of LC-PFN, counted as the student blog counts its ports, far larger than printed?"
    return [*stated, Claim("lcpfn_in_their_unit", asks, said.mean(each, "lcpfn", "noisy", STEPS), Above(0.1))]


def rules(each: pd.DataFrame | None) -> list[Claim]:
    """What linear rules can do that read one value, or all fifteen."""
    last, one, all15 = ("last-value", "noisy"), ("rule-1", "noisy"), ("rule-15", "noisy")
    reads_one, reads_all = (
        "the best linear rule that reads the last value alone",
        "the best linear rule that reads all fifteen points",
    )
    return [
        Claim("memoryless_scores", f"Run on its own forecasts, does {reads_one} score in the range of the student blog’s "
              "ports?", said.mean(each, *one, STEPS), Between(1.9, 3.5)),
        Claim("memoryless_loses", f"Run on its own forecasts, does {reads_one} have a squared error no larger than that of "
              "repeating this value?", said.difference(each, one, last, STEPS), AtMost(0)),
        Claim("memory_beats_last", f"Run on its own forecasts, does {reads_all} have a smaller squared error than repeating "
              "the last value?", said.difference(each, last, all15, STEPS), Above(0)),
        Claim("memoryless_direct", f"Fitted for each later epoch directly, is the squared error of {reads_one} at most a "
              "little above that of repeating this value?",
              said.difference(each, ("rule-1-direct", "noisy"), last, STEPS), Below(0.1)),
        Claim("direct_beats_rolled", f"Does fitting {reads_all} for each later epoch directly lower its squared error?",
              said.difference(each, all15, ("rule-direct", "noisy"), STEPS), Above(0)),
    ]  # fmt: skip


def alone(each: pd.DataFrame | None) -> list[Claim]:
    """Each cause switched on in a port that has no other."""
    return [
        Claim(f"alone_{name}", asks, said.difference(each, one, other, STEPS), Above(0))
        for name, (_, asks, one, other) in said.ALONE.items()
    ]


def shapes(each: pd.DataFrame | None) -> list[Claim]:
    """Far from the last observed point, on the same curves. In thousandths."""
    pairs = {
        "one_shot_beats_forced_far": ("one-shot", "small-mended"),
        "one_shot_beats_encoder_decoder_far": ("one-shot", "encoder-decoder"),
        "through_beats_forced_far": ("small-free-mended", "small-mended"),
        "through_beats_detached_far": ("small-free-mended", "only-detached"),
    }
    asks = "Over the last ten epochs, is the squared error (× 1,000) of “{}” smaller than that of “{}”?"
    return [
        Claim(name, asks.format(LABELS[one], LABELS[other]),
              said.difference(each, (other, "far"), (one, "far"), 1000), Above(0))
        for name, (one, other) in pairs.items()
    ]  # fmt: skip
