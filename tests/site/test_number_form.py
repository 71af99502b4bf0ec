"""Guards how numbers are written: 1,234 and 95 % and ±, one form on all pages, in all tables and in all claims."""

import csv
import json
import re
from pathlib import Path

import pytest

from reproduce._press import claim_text
from tests.site import typed_numbers

ROOT = Path(__file__).resolve().parents[2]
WRONG = {
    "a percent sign without its space": re.compile(r"\d%"),
    "thousands apart by a space": re.compile(
        r"(?<![\d.,:] )(?<![\d.,])[1-9]\d{0,2}[ \u00a0\u202f\u2009]000\b"
    ),
    "thousands without a comma": re.compile(
        r"(?<![\w.,/:\-–+#])(?!(19|20)\d\d\b)[1-9]\d{3,}(?![\w\d]|,\d|\.\d{4}|/|:|-\d)"
    ),
    "an apostrophe in a number": re.compile(r"\d[’']\d{3}\b"),
}
IDENTIFIERS = {"read.table.csv": {"sha256", "file"}}  # a cell that is no number


def wrong(text: str) -> list[str]:
    return [f"{why}: {found[0]}" for why, form in WRONG.items() for found in form.finditer(text)]


def test_the_rule_finds_each_wrong_form():
    """What it is for, and what it lets pass."""
    for text in ("93%", "10 000 curves", "10000 curves", "10’000", "2141 times"):
        assert wrong(text), text
    assert not wrong("93 %, 10,000 curves, 1,234.5678 in 2023, 0.00012, 3 × 128, cutoffs 10, 100 and 3 100 %")


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_pages_write_numbers_in_one_form(page):
    """Outside of code, macros, formulas and links."""
    assert not wrong(typed_numbers.EXEMPT.sub(" ", page.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "answer",
    sorted({p.parent for p in ROOT.glob("figures/*/*/claims.json")}),
    ids=lambda p: f"{p.parent.name}/{p.name}",
)
def test_tables_and_claims_write_numbers_in_one_form(answer):
    """Each cell and each claim of what is published."""
    for path in answer.glob("*.table.csv"):
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        for row in [header, *rows]:
            cells = [
                c for c, h in zip(row, header, strict=True) if h not in IDENTIFIERS.get(path.name, set())
            ]
            assert not [found for cell in cells for found in wrong(cell)], path.name
    for claim in json.loads((answer / "claims.json").read_text(encoding="utf-8")):
        for show in (claim_text.question, claim_text.value, claim_text.printed, claim_text.needed):
            assert not wrong(show(claim)), claim["name"]


def test_what_the_paper_claims_and_what_it_prints_are_written_so_too():
    """They stand in tables beside ours."""
    assert not wrong((ROOT / "reproduce" / "printed" / "paper_claims.csv").read_text(encoding="utf-8"))


def test_plus_minus_is_written_in_one_place():
    """± is half of a 95 % interval everywhere, so only an Interval writes it."""
    writing = [
        p
        for p in (ROOT / "reproduce").rglob("*.py")
        if re.search(r"\} ± |± \{", p.read_text(encoding="utf-8"))
    ]
    assert [p.name for p in writing] == ["intervals.py"]
