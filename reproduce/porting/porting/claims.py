"""What is claimed of the ports, as sentences that can fail. What was not measured, or only with one seed, has no verdict."""

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows
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
    for norm, where in (("post", "after the layers, as in the paper,"), ("pre", "before the layers")):
        found = rows.get("equal")
        mine = None if found is None else found[found["norm"] == norm]
        largest = None if mine is None else float(mine["difference"].max())
        sentence = (
            f"With the norm {where} stock layers with the same weights give the same logits to within "
            f"{{most}}: {{value:.1e}}."
        )
        stated.append(claim(f"same_logits_{norm}", sentence, Interval.exactly(largest), "< 0.00001"))
    times = rows.get("times")
    count = None if times is None else float(times["lines"].iloc[0])
    stated.append(
        claim(
            "few_lines",
            "The port's class is at most {most} lines long, beside mask and density: {value:.0f}.",
            Interval.exactly(count),
            "<= 40",
        )
    )
    for what, name in (("training step", "slower_step"), ("forecast", "slower_forecast")):
        sentence = f"In stock layers a {what} takes longer than in ours: {{value:.2f}} times as long."
        stated.append(claim(name, sentence, _ratio(times, what), "> 1"))
    return stated


def _ratio(times: pd.DataFrame | None, what: str) -> Interval | None:
    """Of seconds, round by round."""
    if times is None:
        return None
    mine = times[times["what"] == what].pivot(index="round", columns="program", values="value")
    return Interval.of_median((mine["stock layers"] / mine["ours"]).tolist())


def gradients(rows: Rows) -> list[Claim]:
    """Of the forecast made after fifteen points: how many of its own curve does it depend on, how many of others?"""
    seen, stated = rows.get("seen"), []
    for network, name in (("old port", "old"), ("mended", "mended"), ("LC-PFN", "pfn")):
        counts: dict[str, float | None] = {"own": None, "others": None}
        if seen is not None:
            mine = seen[(seen["network"] == network) & (seen["view"] == "whole batch") & (seen["value"] > 0)]
            counts = {"own": float((mine["row"] == 2).sum()), "others": float((mine["row"] != 2).sum())}
        called = {"old": "the old port", "mended": "the mended port", "pfn": "LC-PFN"}[name]
        old = name == "old"
        many, any_ = ("at most one", "on points") if old else ("all", "on no point")
        own = (
            f"Of the fifteen points of its curve, a forecast of {called} depends on {many}: on {{value:.0f}}."
        )
        others = (
            f"A forecast of {called} depends {any_} of the four other curves of its batch: on {{value:.0f}}."
        )
        stated.append(
            claim(f"{name}_sees_own", own, Interval.exactly(counts["own"]), "<= 1" if old else ">= 15")
        )
        stated.append(
            claim(f"{name}_sees_others", others, Interval.exactly(counts["others"]), "> 0" if old else "<= 0")
        )
    return stated


def checks(rows: Rows) -> list[Claim]:
    found = rows.get("checks")
    passed: dict[str, float | None] = {"ours": None, "old port": None, "mended port": None}
    total = 0
    if found is not None:
        passed |= found.groupby("program")["passes"].sum().astype(float).to_dict()
        total = int(found["check"].nunique())
    return [
        claim("ours_passes", f"Ours passes all {total} checks: {{value:.0f}}.", Interval.exactly(passed["ours"]),
              f">= {total}"),
        claim("old_fails", "The old port passes at most {most}: {value:.0f}.", Interval.exactly(passed["old port"]), "<= 2"),
        claim("mended_passes", "Mended it passes at least {least}: {value:.0f}.", Interval.exactly(passed["mended port"]),
              f">= {total - 2}"),
    ]  # fmt: skip


def table(each: pd.DataFrame | None) -> list[Claim]:
    stated = []
    for model in TABLE:
        key, label = model.replace("-", "_"), LABELS[model]
        kept, mended = (model, "off"), (f"{model}-mended", "noisy")
        again = f"Rebuilt with its faults, “{label}” scores {{least}} to {{most}}: {{value:.2f}}; {{printed:.2f}} is printed."
        found = said.mean(each, *kept, STEPS)
        stated.append(claim(f"{key}_again", again, found, "between 1 and 7", printed(model, "mean")))
        stated.append(claim(
            f"{key}_loses", f"With its faults, “{label}” scores worse than repeating the last value: {{value:+.2f}}.",
            said.difference(each, (model, "noisy"), ("last-value", "noisy"), STEPS), "> 0"))  # fmt: skip
        stated.append(claim(
            f"{key}_knows_nothing",
            f"Against forecasting the mean of all curves “{label}” wins less than 0.5: it scores {{value:+.2f}}.",
            said.difference(each, (model, "noisy"), ("prior-mean", "noisy"), STEPS), "> -0.5"))  # fmt: skip
        stated.append(claim(
            f"{key}_mended_beats_last", f"Mended, “{label}” scores better than repeating the last value: {{value:+.2f}}.",
            said.difference(each, mended, ("last-value", "noisy"), STEPS), "< 0"))  # fmt: skip
        stated.append(claim(
            f"{key}_mended_helps", f"Mending “{label}” makes its score better: {{value:+.2f}}.",
            said.difference(each, mended, kept, STEPS), "< 0"))  # fmt: skip
    unit = said.mean(each, "lcpfn", "noisy", STEPS)
    sentence = f"In the ports’ unit LC-PFN scores more than {{least}}, not {printed('lcpfn', 'mean'):.4f}: {{value:.2f}}."
    stated.append(claim("lcpfn_in_their_unit", sentence, unit, "> 0.1"))
    return stated


def rules(each: pd.DataFrame | None) -> list[Claim]:
    """What follows from memory alone, without any training."""
    last = ("last-value", "noisy")
    return [
        claim("memoryless_scores",
              "The best linear rule that knows the last value alone scores {least} to {most} on its own forecasts: "
              "{value:.2f}.",
              said.mean(each, "rule-1", "noisy", STEPS), "between 1.9 and 3.5"),
        claim("memoryless_loses", "That is worse than repeating the last value: {value:+.2f}.",
              said.difference(each, ("rule-1", "noisy"), last, STEPS), "> 0"),
        claim("memory_beats_last", "The rule that knows all fifteen is better than the last value: {value:+.2f}.",
              said.difference(each, ("rule-15", "noisy"), last, STEPS), "< 0"),
        claim("memoryless_direct",
              "Asked for each later epoch at once, the rule that knows the last value alone is worse than it by less "
              "than {most}: {value:+.2f}.",
              said.difference(each, ("rule-1-direct", "noisy"), last, STEPS), "< 0.1"),
        claim("direct_beats_rolled", "Asked for each epoch at once, the rule that knows all fifteen gets better: "
              "{value:+.2f}.", said.difference(each, ("rule-direct", "noisy"), ("rule-15", "noisy"), STEPS), "< 0"),
    ]  # fmt: skip


def alone(each: pd.DataFrame | None) -> list[Claim]:
    """Each cause switched on in a port that has no other."""
    stated = []
    for cause, pair in said.ALONE.items():
        key = "alone_" + cause.replace(",", "").replace("-", "_").replace(" ", "_").lower()
        sentence = f"Alone, “{cause}” makes the score worse: {{value:+.2f}}."
        stated.append(claim(key, sentence, said.difference(each, *pair, STEPS), "> 0"))
    return stated


def shapes(each: pd.DataFrame | None) -> list[Claim]:
    """Far from the last seen point, on the same curves. In thousandths."""
    pairs = {
        "one_shot_beats_forced_far": ("one-shot", "small-mended",
            "Over the last ten epochs the one-shot encoder is better than the forced decoder: {value:+.2f} thousandths."),
        "one_shot_beats_encoder_decoder_far": ("one-shot", "encoder-decoder",
            "It is better than the encoder with decoder: {value:+.2f} thousandths."),
        "through_beats_forced_far": ("small-free-mended", "small-mended",
            "A gradient through the roll-out makes the decoder’s error there smaller: {value:+.2f}."),
        "through_beats_detached_far": ("small-free-mended", "only-detached",
            "It is smaller than with its own forecasts without that gradient, too: {value:+.2f}."),
    }  # fmt: skip
    return [
        claim(name, sentence, said.difference(each, (one, "far"), (other, "far"), 1000), "< 0")
        for name, (one, other, sentence) in pairs.items()
    ]
