"""Headlines are many: the claims of a page's answer box, and those that the index names, corrected together (Holm).

A p value follows from how many half-widths lie between the value and the bound, by Student's t, which is written out here:
the site builds without scipy.
"""

import math
import re
from pathlib import Path

from presswork import claim_text
from presswork.answers import needs
from presswork.claim_text import Claim
from presswork.intervals import holm

BOX = re.compile(r'^!!! abstract "Answer"\n(?:(?: {4}.*)?\n)+', re.MULTILINE)
FOUND = re.compile(r"(?ms)^## What we found\n.*?(?=^## )")  # of the index, which has no box
NAMED = re.compile(r"\b(?:shows|found)\(\s*'([^']+)'")
ALMOST_NORMAL = 200


def headlines(docs: Path) -> dict[str, list[str]]:
    """By page, the claims that its answer box names."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(docs.rglob("*.md"))}
    boxes = {slug: (FOUND if slug == "index" else BOX).search(text) for slug, text in texts.items()}
    named = {slug: [*dict.fromkeys(NAMED.findall(box[0]))] for slug, box in boxes.items() if box}
    return {slug: names for slug, names in named.items() if names}


def decided(names: list[str], claims: dict[str, Claim]) -> dict[str, float]:
    """The p value of each decided answer that rests on an interval, by name."""
    told = {name: claims[name] for name in names if claims[name]["answer"] in ("yes", "no")}
    return {name: p_value(claim) for name, claim in told.items() if not claim_text.exact(claim)}


def turned(p: dict[str, float]) -> list[str]:
    """What is no longer decided when all are corrected together."""
    return [name for name, adjusted in holm(p).items() if adjusted > 0.05]


def p_value(claim: Claim) -> float:
    """Of a decided answer, two-sided: its interval lies wholly on one side of each bound."""
    value, low, high = claim["value"], claim["low"], claim["high"]
    units = [n for unit, n in claim["over"] if unit != "exact"]
    freedom = min(units, default=ALMOST_NORMAL) - 1
    p = [0.0]
    for bound in needs.of_json(claim["needs"]).bounds():
        end = low if value > bound else high
        if end != value and math.isfinite(end):
            p.append(outside(abs((value - bound) / (value - end)) * ends(freedom), freedom))
    return max(p)


def outside(t: float, freedom: int) -> float:
    """The share of Student's law beyond ±t: the finite series for whole degrees of freedom."""
    if freedom >= ALMOST_NORMAL:
        return math.erfc(t / math.sqrt(2))
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= cosine**2 * k / (k + 1)
    return 1 - (2 / math.pi * (angle + sine * total) if odd else sine * total)


def ends(freedom: int) -> float:
    """Beyond which Student's law leaves 5 % outside."""
    low, high = 0.0, 1000.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if outside(middle, freedom) > 0.05 else (low, middle)
    return high
