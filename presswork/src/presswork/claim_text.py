"""A claim as text, the same in the terminal, on the card and on the page. Standard library only.

A claim is an entry of claims.json, as claim.py writes it: name, asks, needs, unit, printed, value, low, high, over, answer.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from presswork.answers.claims_file import Estimate
from presswork.claim import ENDLESS, of_json
from presswork.intervals import Interval

Claim = dict[str, Any]
HUGE = ENDLESS / 1e9  # what has no end, in whatever unit, is more

EXPLAINED = {
    "yes": "the whole 95 % interval meets what is needed",
    "no": "no part of the 95 % interval meets what is needed",
    "unclear": "the 95 % interval lies on both sides of what is needed",
    "not tested": "nothing was measured at this scale, or too little for the interval that the claim needs",
}


def question(claim: Claim) -> str:
    return tidy(claim["asks"])


def answer(claim: Claim) -> str:
    """yes, no, unclear or not tested"""
    return str(claim["answer"])


def meaning(claim: Claim) -> str:
    """What the answer says; of an unclear one whether more units could change it."""
    word, bounds = answer(claim), of_json(claim["needs"]).bounds() if "needs" in claim else []
    if word == "unclear" and len(bounds) == 2 and claim["high"] - claim["low"] > max(bounds) - min(bounds):
        return "the 95 % interval is wider than the range that is needed, so that no value could have said yes: too few units"
    return EXPLAINED[word]


def counted(answers: Iterable[str]) -> str:
    """12 yes, 1 no, 2 unclear and 3 not tested"""
    counts = Counter(answers)
    *first, last = [f"{counts[word]} {word}" for word in EXPLAINED if counts[word]] or ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def found(claim: Claim) -> str:
    """The value alone, as precise as beside its interval: 1.9×, 91.4 %, 0.073 s"""
    return value(claim).partition(" [")[0]


def value(claim: Claim) -> str:
    """The value with its 95 % interval, and with enough digits that each number stays on its side of the bounds."""
    if missing(claim["value"]):
        return "–"
    middle, low, high = (_in_unit(claim[key], claim) for key in ("value", "low", "high"))
    bounds = [_in_unit(bound, claim) for bound in of_json(claim["needs"]).bounds()]
    if exact(claim):  # counted, or computed without chance
        digits = _keeping_sides([middle], bounds, max(0, 2 - magnitude(middle)))
        short = float(middle).is_integer() or abs(middle) < 1e-4
        return (number(middle) if short else rounded(middle, digits)) + unit(claim)
    digits = _keeping_sides([middle, low, high], bounds, decimals(middle, low, high))
    return f"{rounded(middle, digits)}{unit(claim)} [{rounded(low, digits)}, {rounded(high, digits)}]"


def estimate(found: Estimate, form: str, unit: str, error: bool) -> str:
    """An estimate, with half of its interval, or with both ends where they lie unequally."""
    value, low, high = ((100 if unit == "%" else 1) * x for x in found[:3])
    form = form or f".{decimals(value, low, high)}f"
    text = Interval(value, low, high).plus_minus(form) if error and low < high else f"{value:{form}}"
    return text + {"": "", "percent": "\u00a0%"}.get(unit, f"\u00a0{unit}")


def over(claim: Claim) -> str:
    """What the interval is taken over: 3 seeds and 200 curves; empty where it counts or computes without chance."""
    units = [(unit, n) for unit, n in claim.get("over", []) if unit != "exact"]
    return " and ".join(tidy(f"{n} {unit.removesuffix('s') if n == 1 else unit}") for unit, n in units)


def exact(claim: Claim) -> bool:
    """Without an interval of chance: counted, or not measured at all."""
    return missing(claim["value"]) or bool(claim["low"] == claim["high"])


def needed(claim: Claim) -> str:
    """What yes needs, in the unit of the value: ≥ 1.5×, 88 to 92 %"""
    return of_json(claim["needs"]).words(100 if claim["unit"] == "%" else 1) + unit(claim)


def printed(claim: Claim) -> str:
    """What the paper prints, with all its digits; a share has as many as other shares."""
    if missing(claim["printed"]):
        return "–"
    share = claim["unit"] == "%"
    digits = number(_in_unit(claim["printed"], claim)) if share else f"{claim['printed']:,.10g}"
    return digits + unit(claim)


def unit(claim: Claim) -> str:
    """What follows the number; *percent* is of a number that is a percentage already."""
    name = "%" if claim["unit"] == "percent" else claim["unit"]
    return name if name in ("", "×", "°") else f"\u00a0{name}"


def _in_unit(x: float, claim: Claim) -> float:
    """A share is shown as a percentage."""
    return round(100 * x if claim["unit"] == "%" else x, 10)


def _keeping_sides(numbers: list[float], bounds: list[float], digits: int) -> int:
    """So many digits, or more, that rounding moves no number onto a bound or across it."""
    pairs = [(x, bound) for x in numbers if math.isfinite(x) for bound in bounds if x != bound]
    while digits < 6 and any((round(x, digits) - bound) * (x - bound) <= 0 for x, bound in pairs):
        digits += 1
    return digits


def tidy(text: str) -> str:
    """One rule for all numbers, years apart: 12,345 and 95 %, with a space that does not break.

    A year stands alone, at the end, before a mark or before one of a few small words; 2048 curves are a number.
    """
    year = r"(?:19|20)\d\d\b(?!\.\d|[ \u00a0](?!and |or |to |by |the |is |was )\w)"
    grouped = re.sub(rf"(?<![\d.,])(?!0|{year})\d{{4,}}(?!\d|,\d)", lambda m: f"{int(m[0]):,}", text)
    spaced = re.sub(r"(?<=\d)[ \u202f]?%", "\u00a0%", grouped)
    return re.sub(r"(?<=\d)\u00a0%(?= to \d+\u00a0%)", "", spaced)


def missing(x: Any) -> bool:
    return x is None or (isinstance(x, float) and math.isnan(x))


def number(x: float | None) -> str:
    """A number as a person would write it, to three significant digits."""
    if x is None or missing(x):
        return "–"
    if 0 < abs(x) < 1e-4:
        return f"{x:.1e}".replace("-", "−")
    return rounded(x, 0 if float(x).is_integer() else max(0, 2 - magnitude(x)))


def decimals(value: float, low: float, high: float) -> int:
    """One significant digit of the half-width of the interval, two below 3.55 (the rule of the Particle Data Group)."""
    half = (high - low) / 2
    if not 0 < half < HUGE:
        return max(0, 2 - magnitude(value))
    first = half / 10 ** magnitude(half)
    return max(0, (1 if first < 3.55 else 0) - magnitude(half))


def magnitude(x: float) -> int:
    return math.floor(math.log10(abs(x))) if x and math.isfinite(x) else 0


def rounded(x: float, digits: int) -> str:
    if abs(x) > HUGE:
        return "∞" if x > 0 else "−∞"
    return f"{x:,.{digits}f}".replace("-", "−")
