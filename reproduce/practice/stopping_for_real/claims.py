"""Who is sooner on real runs, who ends lower, and what a pool costs in which nothing learns. Intervals are over tasks."""

import pandas as pd

from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice._chosen import ALL, CHOSEN, OURS, SOURCES, judged, more_regret, reached
from reproduce.printed.numbers import printed
from reproduce.protocols.times_sooner import budget, faster, gain

RIVALS = {
    "old": "the same rule with the network of the paper’s prior",
    "last value": "the same rule with the last value for a forecast",
    "one epoch": "one epoch for each run",
    "Hyperband": "Hyperband",
    "ASHA": "ASHA",
    "DeepHyper’s rule": "DeepHyper’s rule with a fit by least squares",
}


def claims(rows: Rows, resamples: int) -> list[Claim]:
    found = judged(rows["rows"])
    most = budget(found)
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    stated = []
    for source, title in (SOURCES | {ALL: "all four sources together"}).items():
        when = reached(found, source, resamples)
        on = f"On {title} the rule with the network that ships"
        sooner = gain(when, OURS)
        if source == "taskset":
            sentence = (
                on + " gets to where no stopping ends at least {least:g} times sooner: {value:.1f} times."
            )
            stated.append(claim("taskset_speed_up", sentence, sooner, f">= {least:g}", least))
        else:
            sentence = on + " gets to where no stopping ends sooner: {value:.1f} times."
            stated.append(claim(f"{source}_speed_up", sentence, sooner, "> 1"))
        sentence = (
            on + " is no later than the best patience, chosen on other tasks: {value:.2f} times as fast."
        )
        stated.append(claim(f"{source}_patience", sentence, faster(when, OURS, CHOSEN, most), ">= 1"))
        sentence = on + " ends with no more regret than no stopping: a difference of {value:+.3f}."
        stated.append(
            claim(f"{source}_no_harm", sentence, more_regret(found, source) if when else None, "<= 0")
        )
    return [*stated, *_rivals(reached(found, ALL, resamples), most), _nothing(found)]


def _rivals(when: dict, most: int) -> list[Claim]:
    sentence = (
        "On all four sources together the rule with the network that ships is faster than {rival}: "
        "{{value:.2f}} times as fast."
    )
    return [
        claim(f"beats_{_word(rival)}", sentence.format(rival=called), faster(when, OURS, rival, most), "> 1")
        for rival, called in RIVALS.items()
    ]


def _word(rival: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in rival.lower().replace("’s", ""))


def _nothing(found: pd.DataFrame) -> Claim:
    spent = where(found, source="nothing", method=OURS)["spent"]
    sentence = (
        "Where nothing learns, the rule with the network that ships spends at most {most:.0%} of the epochs that training "
        "every run to its end would cost: {value:.0%}."
    )
    return claim("nothing_spent", sentence, Interval.of_mean(spent) if len(spent) else None, "<= 0.2")
