"""A claim as text, the same in the terminal, on the card and on the page. Standard library only.

A claim is a line of claims.json: sentence, condition, value, low, high, printed, holds.
"""

import math
from typing import Any

Claim = dict[str, Any]

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


def counted(counts: dict[str, int]) -> str:
    """12 hold, 1 fails, 2 are open and 3 were not tested"""
    forms = {"holds": ("holds", "hold"), "fails": ("fails", "fail"), "open": ("is open", "are open"),
             "not tested": ("was not tested", "were not tested")}  # fmt: skip
    parts = [f"{n} {forms[word][n != 1]}" for word in forms if (n := counts.get(word, 0))]
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), *parts[-1:]]) or "there is none"


def printed(claim: Claim) -> str:
    """What the paper prints, with all its digits."""
    x = claim.get("printed")
    if missing(x):
        return "–"
    return x if isinstance(x, str) else f"{x:.10g}"


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
