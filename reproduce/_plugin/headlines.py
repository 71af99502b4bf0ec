"""Headlines are many: the claims of a page's answer box, and those that the index names, corrected together (Holm).

A p value follows from how many half-widths lie between the value and the bound, by Student's t, which is written out here:
the site builds without scipy. And the short way through the pages, which the index prints.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from presswork import claim_text
from presswork.claim import of_json
from presswork.claim_text import Claim
from presswork.intervals import holm
from presswork.site import blocks
from presswork.site.stated import Stated

BOX = re.compile(r'^!!! abstract "Answer"\n(?:(?: {4}.*)?\n)+', re.MULTILINE)
FOUND = re.compile(r"(?ms)^## What we found\n.*?(?=^## )")  # of the index, which has no box
NAMED = re.compile(r"\b(?:shows|found)\(\s*'([^']+)'")
ALMOST_NORMAL = 200
UNREAD = re.compile(
    r"\A---\n.*?\n---\n|\{\{.*?\}\}|\{%.*?%\}|<[^>]+>", re.DOTALL
)  # macros, tags and front matter
WORDS_A_MINUTE = 220


class Headlines(Stated):
    MACROS = ("corrected", "short_way")

    def corrected(self, named: bool = False) -> str:
        """Of the decided headlines of all pages, how many are open once those of a page are corrected together."""
        claims, count = self.published_claims(), 0
        turned_on: list[tuple[str, str]] = []
        for slug, names in headlines(self.docs).items():
            p = p_values(names, claims)
            decided = [name for name in p if claims[name]["answer"] in ("yes", "no")]
            count, turned_on = count + len(decided), turned_on + [(slug, name) for name in turned(p, decided)]
        asked = [
            f"{claim_text.question(claims[name])} ({self.pages[slug].title})" for slug, name in turned_on
        ]
        items = "".join(f"<li>{one}</li>" for one in asked)
        return f'\n<ul markdown="0">{items}</ul>\n' if named else f"{len(turned_on)} of {count}"

    def short_way(self, *slugs: str) -> str:
        """These pages in order, each with the minutes that it takes to read, and all of them together."""
        items, words, minutes = "", 0, 0
        for slug in slugs:
            own = len(UNREAD.sub(" ", (self.docs / f"{slug}.md").read_text(encoding="utf-8")).split())
            href, takes = self.page_link(slug, "").rstrip("#"), math.ceil(own / WORDS_A_MINUTE)
            items += f'<li><a href="{href}">{blocks.inline(self.pages[slug].title)}</a>, {takes} min</li>'
            words, minutes = words + own, minutes + takes
        return f'\n<ol markdown="0">{items}</ol>\n\nIn all {words:,} words, {minutes} minutes.\n'


def headlines(docs: Path) -> dict[str, list[str]]:
    """By page, the claims that its answer box names."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in sorted(docs.rglob("*.md"))}
    boxes = {slug: (FOUND if slug == "index" else BOX).search(text) for slug, text in texts.items()}
    named = {slug: [*dict.fromkeys(NAMED.findall(box[0]))] for slug, box in boxes.items() if box}
    return {slug: names for slug, names in named.items() if names}


def p_values(names: list[str], claims: dict[str, Claim]) -> dict[str, float]:
    """By name, of the answers that rest on an interval. What is open is one of the hypotheses as well: it counts with 1."""
    told = {name: claims[name] for name in names if not claim_text.exact(claims[name])}
    open_ones = {name: 1.0 for name, claim in told.items() if claim["answer"] == "unclear"}
    return open_ones | {
        name: p_value(claim) for name, claim in told.items() if claim["answer"] in ("yes", "no")
    }


def turned(p: dict[str, float], decided: list[str]) -> list[str]:
    """What is no longer decided when all are corrected together."""
    return [name for name, adjusted in holm(p).items() if name in decided and adjusted > 0.05]


def p_value(claim: Claim) -> float:
    """Of a decided answer, two-sided: its interval lies wholly on one side of each bound."""
    value, low, high = claim["value"], claim["low"], claim["high"]
    units = [n for unit, n in claim["over"] if unit != "exact"]
    freedom = min(units, default=ALMOST_NORMAL) - 1
    p = [0.0]
    for bound in of_json(claim["needs"]).bounds():
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
