"""Claims in words: the sentence with its number, the verdict, and the table of all of them."""

from __future__ import annotations

import html
import math
from typing import Any

from reproduce._site import blocks

Claim = dict[str, Any]
HEADER = ["Claim", "Paper", "Published", "Here", "Verdict", "Scale"]
EXPLAINED = {
    "holds": "the whole interval meets the condition",
    "fails": "no part of the interval meets the condition",
    "open": "the interval meets the condition only in part",
    "not tested": "nothing was measured at this scale",
}


def verdict(claim: Claim) -> str:
    if missing(claim.get("value")):
        return "not tested"
    return {True: "holds", False: "fails"}.get(claim.get("holds"), "open")  # type: ignore[arg-type]


def sentence(claim: Claim) -> str:
    """The sentence of a claim with its numbers filled in; an ellipsis where nothing was measured."""
    fields = {k: Shown(claim.get(k), claim) for k in ("value", "low", "high", "printed")}
    return str(claim["sentence"]).format(**fields)


class Shown:
    """A number inside a sentence: as its format code says, else as exact as the interval allows."""

    def __init__(self, number: Any, claim: Claim) -> None:
        self.number, self.claim = number, claim

    def __format__(self, code: str) -> str:
        if missing(self.number):
            return "…"
        if code and not isinstance(self.number, str):
            return format(self.number, code).replace("-", "−")
        return number(self.number, self.claim if self.number == self.claim.get("value") else None)


def badge(claim: Claim) -> str:
    word = verdict(claim)
    return f'<span class="cc-verdict cc-{word.replace(" ", "-")}" title="{EXPLAINED[word]}">{word}</span>'


def value(claim: Claim) -> str:
    """The value with its 95 % interval."""
    if missing(claim.get("value")):
        return "–"
    if missing(claim.get("low")) or missing(claim.get("high")):
        return number(claim["value"])
    if claim["low"] == claim["high"]:
        return number(claim["value"])  # counted, or computed without chance
    digits = decimals(claim)
    low, high = (rounded(claim[k], digits) for k in ("low", "high"))
    return f"{rounded(claim['value'], digits)} [{low}, {high}]"


Row = tuple[Claim, Claim | None, str, str]  # as measured, as published, scale, link to where it is shown


def table(rows: dict[str, list[Row]], titles: dict[str, str]) -> str:
    """The claims of each question, below its title where there is one.

    While what is measured is what was published, one column says both.
    """
    again = any(old and value(old) != value(new) for mine in rows.values() for new, old, _, _ in mine)
    header = HEADER if again else [h if h != "Here" else "Measured" for h in HEADER if h != "Published"]
    body = ""
    for question, mine in rows.items():
        if mine and question in titles:
            title = html.escape(titles[question])
            body += f'<tr class="cc-group"><th scope="rowgroup" colspan="{len(header)}">{title}</th></tr>'
        body += "".join(_line(*row, again) for row in mine)
    return html_table(header, body, "Claims")


def _line(claim: Claim, old: Claim | None, scale: str, link: str, again: bool) -> str:
    text = blocks.cell(sentence(claim))
    cells = [printed(claim), value(claim), badge(claim), scale]
    if again:
        cells.insert(1, value(old) if old else "–")
    first = f'<a href="{link}">{text}</a>' if link else text
    return f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"


def html_table(header: list[str], body: str, label: str, kind: str = "cc-claims") -> str:
    head = "".join(f'<th scope="col">{h}</th>' for h in header)
    return (
        f'\n<div class="cc-scroll {kind}" tabindex="0" role="region" aria-label="{label}" markdown="0">'
        f'<table class="cc-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'
    )


def counted(counts: dict[str, int]) -> str:
    """12 hold, 1 fails, 2 are open and 3 were not tested"""
    forms = {"holds": ("holds", "hold"), "fails": ("fails", "fail"), "open": ("is open", "are open"),
             "not tested": ("was not tested", "were not tested")}  # fmt: skip
    parts = [f"{n} {forms[word][n != 1]}" for word in forms if (n := counts.get(word, 0))]
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), *parts[-1:]]) or "there is none"


def facts(claim: Claim, scale: str) -> dict[str, str]:
    """What the card behind a claim says."""
    return {
        "Measured": value(claim),
        "Holds if": str(claim.get("condition") or ""),
        "Verdict": f"{verdict(claim)}: {EXPLAINED[verdict(claim)]}",
        "Paper": "" if missing(claim.get("printed")) else as_printed(claim["printed"]),
        "Scale": scale,
    }


def printed(claim: Claim) -> str:
    return "–" if missing(claim.get("printed")) else html.escape(as_printed(claim["printed"]))


def as_printed(x: Any) -> str:
    """With all the digits that it was given."""
    return str(x) if isinstance(x, str) else f"{x:.10g}"


def missing(x: Any) -> bool:
    return x is None or (isinstance(x, float) and math.isnan(x))


def number(x: Any, claim: Claim | None = None) -> str:
    """A number as a person would write it: as exact as its interval allows, else three significant digits."""
    if missing(x):
        return "–"
    if isinstance(x, str):
        return x
    if (
        claim is not None
        and not missing(claim.get("low"))
        and not missing(claim.get("high"))
        and claim["low"] < claim["high"]
    ):
        return rounded(x, decimals(claim))
    if 0 < abs(x) < 1e-4:
        return f"{x:.1e}".replace("-", "−")
    return rounded(x, 0 if x == int(x) else max(0, 2 - magnitude(x)))


def decimals(claim: Claim) -> int:
    """One significant digit of the half-width of the interval, two if it is small (below 3)."""
    half = (claim["high"] - claim["low"]) / 2
    if not math.isfinite(half) or half <= 0:
        return max(0, 2 - magnitude(claim["value"]))
    first = half / 10 ** magnitude(half)
    return max(0, (1 if first < 3 else 0) - magnitude(half))


def magnitude(x: float) -> int:
    return math.floor(math.log10(abs(x))) if x and math.isfinite(x) else 0


def rounded(x: float, digits: int) -> str:
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    return f"{x:,.{digits}f}".replace("-", "−").replace(",", " ")
