"""Guards reproduce/_press/answers/conditions.py, and the sentences of all claims: a verdict judges what its sentence says."""

import json
import re
from pathlib import Path

import pytest

from reproduce._press import claim_text
from reproduce._press.answers import conditions

ROOT = Path(__file__).resolve().parents[2]
CLAIMS = {
    f"{path.parts[-3]}/{path.parts[-2]}/{claim['name']}": claim
    for path in sorted((ROOT / "figures").glob("*/*/claims.json"))
    for claim in json.loads(path.read_text(encoding="utf-8"))
    if "condition" in claim
}
COMPARED = re.compile(  # says which side of nothing (0) or of alike (1) is meant
    r"\b(above|below|beats?|better|worse|more|less|fewer|faster|slower|sooner|longer|higher|lower|lowers|larger|smaller|"
    r"heavier|nearer|too (low|high|often|rarely)|loses?|gains?|helps?|hurts|shrinks|grows|grow more|neither|never|no|"
    r"on points|reaches|ahead|equally|at most|costs?|differ)\b",
    re.IGNORECASE,
)
WORDS = {"half": 0.5, "one": 1, "twice": 2, "seven": 7, "nine": 9, "fifteen": 15, "hundred": 100}


@pytest.mark.parametrize(
    ("text", "shown", "ends"),
    [
        (">= 1.585", "≥ 1.585", [1.585]),
        ("> 0", "> 0", [0]),
        ("<= 0.001", "≤ 0.001", [0.001]),
        ("> -0.02", "> −0.02", [-0.02]),
        (">= 10000", "≥ 10,000", [10_000]),
        ("< 1e-5", "< 0.00001", [1e-5]),
        ("between 0.88 and 0.92", "0.88 to 0.92", [0.88, 0.92]),
        ("between 0 and 0", "0", [0, 0]),
    ],
)
def test_a_condition_is_shown_as_people_write_it(text, shown, ends):
    """With its own digits, and its ends as numbers."""
    assert conditions.words(text) == shown
    assert conditions.read(text).ends() == ends


def numbers(text: str) -> set[float]:
    """All numbers that a text has, in figures and in words; percent as shares."""
    plain = text.replace("−", "-").replace("\u00a0", " ").replace("\u202f", "")
    found = {WORDS[word] for word in re.findall(r"\w+", plain.lower()) if word in WORDS}
    for figure, percent in re.findall(r"(\d[\d,]*\.?\d*|\.\d+)( %)?", plain):
        value = float(figure.replace(",", "").rstrip(".") or "nan")
        found |= {value, value / 100} if percent else {value}
    for low, high in re.findall(r"(\d+) to (\d+) %", plain):
        found |= {int(low) / 100, int(high) / 100}
    return found


@pytest.mark.parametrize("name", CLAIMS)
def test_a_sentence_states_what_its_verdict_judges(name):
    """Each end of the condition stands in the sentence, whatever was measured; for 0 and 1 a word that compares will do."""
    claim = CLAIMS[name]
    said = claim_text.sentence(claim | {"value": None})
    assert "{" not in said and "}" not in said
    for end in conditions.read(claim["condition"]).ends():
        there = any(abs(abs(end) - number) < 1e-9 for number in numbers(said))
        assert there or (end in (0, 1) and COMPARED.search(said)), f"{name}: {claim['condition']}: {said}"


@pytest.mark.parametrize("name", CLAIMS)
def test_the_number_in_a_sentence_does_not_deny_its_verdict(name):
    """What is counted or certain has enough digits to lie on its side of the condition, in the sentence and in the table."""
    claim = CLAIMS[name]
    if claim["value"] is None or claim["low"] != claim["high"]:
        return
    condition = conditions.read(claim["condition"])
    for form in re.findall(r"\{value:?(.*?)\}", claim["sentence"]):
        figure = float(format(claim["value"], form.replace("%", "f").replace(",", "")))
        figure = round(claim["value"], 2 + int(form[-2])) if form.endswith("%") else figure
        assert condition.met(figure, figure)[0] == claim["holds"], claim_text.sentence(claim)
    assert (
        conditions.read(claim["condition"]).met(*[_as_number(claim_text.value(claim))] * 2)[0]
        == claim["holds"]
    )


def _as_number(text: str) -> float:
    share = text.endswith("%")
    number = float(text.removesuffix("%").replace("−", "-").replace(",", ""))
    return round(number / 100, 10) if share else number
