"""A claim as text, the same in the terminal, on the card and on the page. Standard library only.

A claim is a line of claims.json: asks, needs, unit, value, low, high, printed, answer. Claims of chapters that have not
been rewritten yet state a sentence and a condition instead: sentence, condition, value, low, high, printed, holds, limit.
"""

import math
import re
from typing import Any

from reproduce._press.answers import conditions, needs

Claim = dict[str, Any]

EXPLAINED = {
    "yes": "the whole 95 % interval meets what is needed",
    "no": "no part of the 95 % interval meets what is needed",
    "unclear": "the 95 % interval lies on both sides of what is needed",
    "holds": "the whole 95 % interval meets the condition",
    "fails": "no part of the interval meets the condition",
    "open": "the interval meets the condition only in part",
    "not tested": "nothing, or not enough for an interval, was measured at this scale",
    "limit confirmed": "the sentence says what the method cannot do, and the whole interval meets it",
    "limit refuted": "the sentence says what the method cannot do, and no part of the interval meets it",
}


def verdict(claim: Claim) -> str:
    """The answer in a word."""
    if "asks" in claim:
        return str(claim["answer"])
    if missing(claim.get("value")):
        return "not tested"
    words = ("limit confirmed", "limit refuted") if claim.get("limit") else ("holds", "fails")
    return {True: words[0], False: words[1]}.get(claim.get("holds"), "open")  # type: ignore[arg-type]


def exact(claim: Claim) -> bool:
    """Without an interval of chance: counted, or not measured at all."""
    return missing(claim.get("value")) or claim.get("low") == claim.get("high")


def holds_if(claim: Claim) -> str:
    """What a claim needs, in the unit of its number: ≥ 1.5"""
    if "asks" in claim:
        return needs.of_json(claim["needs"]).words(a_share(claim)) + unit(claim)
    return conditions.words(str(claim["condition"]), a_share(claim)) if claim.get("condition") else ""


def a_share(claim: Claim) -> bool:
    """A share is shown as a percentage wherever it is shown."""
    if "asks" in claim:
        return bool(claim["unit"] == "%")
    return re.search(r"\{value:[^}]*%\}", str(claim.get("sentence", ""))) is not None


def unit(claim: Claim) -> str:
    """What follows the number; a percentage has its sign already."""
    name = claim.get("unit", "")
    return "" if name in ("", "%") else name if name in ("×", "°") else f"\u00a0{name}"


def sentence(claim: Claim) -> str:
    """The question of a claim; of an older one its sentence with numbers, an ellipsis where nothing was measured."""
    if "asks" in claim:
        return tidy(str(claim["asks"]))
    fields = {k: Shown(claim.get(k), claim) for k in ("value", "low", "high", "printed")}
    if claim.get("condition"):
        least, most, _ = conditions.read(str(claim["condition"]))
        fields |= {"least": Shown(least, claim, end=True), "most": Shown(most, claim, end=True)}
    return tidy(str(claim["sentence"]).format(**fields))


class Shown:
    """A number inside a sentence: as its format code says, else as exact as the interval allows."""

    def __init__(self, number: Any, claim: Claim, end: bool = False) -> None:
        self.number, self.claim, self.end = (
            number,
            claim,
            end,
        )  # end: of the condition, which has its own digits

    def __format__(self, code: str) -> str:
        if missing(self.number):
            return "…"
        if code and not isinstance(self.number, str):
            text = format(self.number, code).replace("-", "−")
            return re.sub(r"^([+−]?)(\d{4,})", lambda m: f"{m[1]}{int(m[2]):,}", text)  # a number is no year
        if self.end:
            return conditions.shown(self.number)
        return number(self.number, self.claim if self.number == self.claim.get("value") else None)


def tidy(text: str) -> str:
    """One rule for all numbers, years apart: 12,345 and 95 %, with a space that does not break."""
    grouped = re.sub(r"(?<![\d.,])(?!0|19\d\d\b|20\d\d\b)\d{4,}(?!\d|,\d)", lambda m: f"{int(m[0]):,}", text)
    spaced = re.sub(r"(?<=\d)[ \u202f]?%", "\u00a0%", grouped)
    return re.sub(r"(?<=\d)\u00a0%(?= to \d+\u00a0%)", "", spaced)


def found(claim: Claim) -> str:
    """The value alone, as precise as beside its interval: 1.9×, 91.4 %, 0.073 nats per point"""
    return value(claim).partition(" [")[0]


def value(claim: Claim) -> str:
    """The value with its 95 % interval."""
    if missing(claim.get("value")):
        return "–"
    times, sign = (100, "\u00a0%") if a_share(claim) else (1, unit(claim))
    ends_known = not (missing(claim.get("low")) or missing(claim.get("high")))
    scaled = {
        k: round(times * claim[k], 10) for k in (("value", "low", "high") if ends_known else ("value",))
    }
    if not ends_known:
        return number(scaled["value"]) + sign
    if exact(claim):
        return _exactly(scaled["value"], [round(times * end, 10) for end in _ends(claim)]) + sign
    digits = max(decimals(scaled), _said(claim))
    digits = _on_their_sides(list(scaled.values()), [round(times * end, 10) for end in _ends(claim)], digits)
    low, high = (rounded(scaled[k], digits) for k in ("low", "high"))
    return f"{rounded(scaled['value'], digits)}{sign} [{low}, {high}]"


def _exactly(x: float, ends: list[float]) -> str:
    """Counted, or computed without chance: with so many digits that it stays on its side of the condition."""
    digits = max(0, 2 - magnitude(x))
    return number(x) if x == int(x) or abs(x) < 1e-4 else rounded(x, _on_their_sides([x], ends, digits))


def _on_their_sides(numbers: list[float], ends: list[float], digits: int) -> int:
    """So many digits that rounding moves no number onto an end of the condition, or across it."""
    crossing = [(x, end) for x in numbers if math.isfinite(x) for end in ends if x != end]
    while digits < 6 and any((round(x, digits) - end) * (x - end) <= 0 for x, end in crossing):
        digits += 1
    return digits


def _ends(claim: Claim) -> list[float]:
    if "asks" in claim:
        return needs.of_json(claim["needs"]).bounds()
    return conditions.read(str(claim["condition"])).ends() if claim.get("condition") else []


def _said(claim: Claim) -> int:
    """Decimals of the value in its sentence: a card has as many, or more."""
    found = re.search(r"\{value:[^}]*\.(\d)[f%]\}", str(claim.get("sentence", "")))
    return int(found[1]) if found else 0


NOW = {
    "holds": "yes",
    "limit confirmed": "yes",
    "fails": "no",
    "limit refuted": "no",
    "open": "unclear",
}  # older: today's


def counted(counts: dict[str, int]) -> str:
    """12 yes, 1 no, 2 unclear and 3 not tested"""
    words = {"yes": 0, "no": 0, "unclear": 0, "not tested": 0}
    for word, n in counts.items():
        words[NOW.get(word, word)] += n
    parts = [f"{n} {word}" for word, n in words.items() if n]
    return " and ".join([*([", ".join(parts[:-1])] if parts[1:] else []), *parts[-1:]]) or "none"


def printed(claim: Claim) -> str:
    """What the paper prints, with all its digits; a share of what it prints has as many as other shares."""
    x = claim.get("printed")
    if x is None or missing(x):
        return "–"
    if isinstance(x, str):
        return x
    return number(round(100 * x, 10)) + "\u00a0%" if a_share(claim) else tidy(f"{x:.10g}") + unit(claim)


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
    return f"{x:,.{digits}f}".replace("-", "−")
