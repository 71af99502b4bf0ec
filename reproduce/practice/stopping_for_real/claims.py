"""Which rule is faster on real runs, which ends with less regret, what is spent where no run learns; intervals over tasks."""

import pandas as pd

from reproduce._press.claim import Above, AtLeast, AtMost, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import Rows, where
from reproduce.practice._chosen import ALL, CHOSEN, OURS, SOURCES, faster, judged, more_regret, reached
from reproduce.printed.numbers import printed

RULE = "the stopping rule with the released model"
RIVALS = {
    "old": "the same rule with a network trained on the paper’s prior",
    "last value": "the same rule with the last value as the forecast",
    "one epoch": "one-epoch screening",
    "Hyperband": "Hyperband",
    "ASHA": "ASHA",
    "DeepHyper’s rule": "DeepHyper’s rule with a least-squares fit",
}


def claims(rows: Rows) -> list[Claim]:
    found = judged(rows["rows"])
    least = float(printed().set_index("quantity").loc["speed-up by early stopping, least", "value"])
    stated = []
    for source, title in (SOURCES | {ALL: "all four sources together"}).items():
        when = reached(found, source)
        ask, sooner = f"On {title}, does {RULE} reach the final regret of never stopping", faster(when, OURS)
        if source == "taskset":
            question, needs = f"{ask} as much faster as the paper prints?", AtLeast(least)
            stated.append(Claim("taskset_speed_up", question, sooner, needs, "×", least))
        else:
            stated.append(Claim(f"{source}_speed_up", f"{ask} faster?", sooner, Above(1), "×"))
        question = f"On {title}, is {RULE} at least as fast as patience tuned on other tasks?"
        lead = faster(when, OURS, CHOSEN)
        stated.append(Claim(f"{source}_patience", question, lead, AtLeast(1), "×"))
        question = f"On {title}, does {RULE} end with at most the regret of never stopping?"
        stated.append(Claim(f"{source}_no_harm", question, more_regret(found, source), AtMost(0), "%"))
    return [*stated, *_rivals(reached(found, ALL)), _nothing(found)]


def _rivals(when: dict) -> list[Claim]:
    ask = f"On all four sources together, is {RULE} faster than"
    return [
        Claim(f"beats_{_word(rival)}", f"{ask} {called}?", faster(when, OURS, rival), Above(1), "×")
        for rival, called in RIVALS.items()
    ]


def _word(rival: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in rival.lower().replace("’s", ""))


def _nothing(found: pd.DataFrame) -> Claim:
    spent = where(found, source="nothing", method=OURS)["spent"]
    question = f"Where no run learns, does {RULE} spend only a small share of the epochs of all runs?"
    return Claim("nothing_spent", question, Interval.of_mean(spent) if len(spent) else None, AtMost(0.2), "%")
