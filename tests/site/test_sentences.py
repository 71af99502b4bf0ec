"""Guards prose: short captions and paragraphs, few marks, numbers in one form and none typed by hand, formulas."""

import csv
import json
import re
from pathlib import Path

import pytest

pytest.importorskip("math_core", reason="the site's tools are not installed: make setup")

import markdown  # after the skip

from presswork import claim_text
from presswork.answers import claims_file
from presswork.site import extension
from tests.site import sentences

ROOT = Path(__file__).resolve().parents[2]
PAGES = {path.relative_to(ROOT / "docs").as_posix(): path for path in sorted((ROOT / "docs").rglob("*.md"))}
LOOKED_UP = {"command-line.md", "all-claims.md", "corrections.md"}  # not read from top to bottom
MARK = "{{ shows('q/c', 'yes') }}"


@pytest.mark.parametrize(("page", "broken"), [
    ("One sentence. Another one " + MARK + ".", []),
    (f"Both {MARK} in one {MARK}. Next.", ["line 1: 2 marks in the sentence 'Both ◆ in one ◆.'"]),
    (f"A {MARK}. B {MARK}. C {MARK}.\n\n- D {MARK}.\n- E.", []),
    (f"# T\n\nA {MARK}. B {MARK}.\nC {MARK}. D {MARK}.", ["line 3: 4 marks in a paragraph"]),
    ("A. B! C? D. E. F. G.", ["line 1: 7 sentences in a paragraph"]),
    ("x\n\n{{ fig('q/f',\n  caption='" + 46 * "word " + "') }}", ["line 4: a caption of 46 words"]),
    ("<details>\n" + 7 * "A. " + "\n</details>\n```\n" + 7 * "A. " + "\n```", []),
])  # fmt: skip
def test_what_breaks_a_limit_is_found_with_its_line(page, broken):
    assert sentences.read(page)[1] == broken


@pytest.mark.parametrize("page", PAGES)
def test_pages_captions_and_paragraphs_are_short_and_marks_few(page):
    words, broken = sentences.read(PAGES[page].read_text(encoding="utf-8"))
    assert broken == []
    assert words <= (1500 if page == "log.md" else 1200) or page in LOOKED_UP


NEXT = re.compile(r"^Next: \[[^\]]+\]\([\w/-]+\.(?:md|ipynb)(?:#[\w-]+)?\), because\s\S", re.MULTILINE)
AFTER = re.compile(r"^## (?!All claims|References|Cite)", re.MULTILINE)  # what may follow is looked up


def says_what_is_next(page: str) -> bool:
    """One line at the end of a page, or of the text of a notebook."""
    ends = [found.end() for found in NEXT.finditer(page)]
    return len(ends) == 1 and not AFTER.search(page, ends[0])


def test_every_page_says_what_to_read_next() -> None:
    """In the order of the navigation, with the reason; primers and pages that are looked up need none."""
    assert says_what_is_next("## A\n\nNext: [B](b.md), because it is next.\n\n## References\n")
    for page in (
        "Next: [B](b.md).",
        "Next: [B](b.md), because a.\n\n## More\n",
        "next: [B](b.md), because a.",
    ):
        assert not says_what_is_next(page)
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:")[1].split("\n\n")[0]
    silent = []
    for name in re.findall(r"([\w/-]+\.(?:md|ipynb))$", nav, re.MULTILINE):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        if name.endswith(".ipynb"):
            cells = json.loads(text)["cells"]
            text = "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        needs_none = name.startswith("primers/") or name in {*LOOKED_UP, "eleven-encodings.md"}
        silent += [] if needs_none or says_what_is_next(text) else [name]
    assert not silent


def test_at_most_one_mark_in_seven_is_open() -> None:
    """In running text: what is open in between is a clause without a mark."""
    answers = [mark.answer for mark in claims_file.marks(ROOT / "docs")]
    assert 7 * sum(answer not in ("yes", "no") for answer in answers) <= len(answers)


# ------------------------------------------------------------------------------------------------------ numbers

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


def test_the_rules_find_each_wrong_form():
    for text in ("93%", "10 000 curves", "10000 curves", "10’000", "2141 times"):
        assert wrong(text), text
    assert not wrong("93 %, 10,000 curves, 1,234.5678 in 2023, 0.00012, 3 × 128, cutoffs 10, 100 and 3 100 %")
    page = (
        "---\na: 1.5\n---\nWe reach 1.602, `1.5`, $0.2$, {{ val('a/b', '0.5') }} [x](1.2.md) 2310.20447v1\n"
    )
    assert sentences.bare_decimals(page) == [(4, "1.602")]
    assert sentences.bare_decimals("---\nnumbers_by_hand: a log\n---\n1.602") == []
    fenced = "```\n1.5\n```\n\n    ```\n    2.5\n    ```\nthen 3.5."
    assert sentences.bare_decimals(fenced) == [(8, "3.5")]


@pytest.mark.parametrize("page", PAGES)
def test_pages_write_numbers_in_one_form_and_type_none_that_was_measured(page):
    """Outside of code, macros, formulas and links; a page that types decimals says why it may."""
    text = PAGES[page].read_text(encoding="utf-8")
    assert not wrong(sentences.EXEMPT.sub(" ", text))
    assert not sentences.bare_decimals(text)


def test_tables_and_claims_write_numbers_in_one_form():
    for path in ROOT.glob("figures/*/*/*.table.csv"):
        identifiers = IDENTIFIERS.get(path.name, set())
        header, *rows = csv.reader(path.read_text(encoding="utf-8").splitlines())
        cells = [
            c for row in [header, *rows] for c, h in zip(row, header, strict=True) if h not in identifiers
        ]
        assert not [found for cell in cells for found in wrong(cell)], path
    for path in ROOT.glob("figures/*/*/claims.json"):
        for claim in claims_file.read(path.read_bytes()):
            for show in (claim_text.question, claim_text.value, claim_text.printed, claim_text.needed):
                assert not wrong(show(claim)), (path, claim["name"])
    assert not wrong((ROOT / "reproduce" / "printed" / "paper_claims.csv").read_text(encoding="utf-8"))


def test_plus_minus_is_written_in_one_place():
    """± is half of a 95 % interval everywhere, so only an Interval writes it."""
    files = (path for room in ("reproduce", "presswork/src") for path in (ROOT / room).rglob("*.py"))
    writing = [path.name for path in files if re.search(r"\} ± |± \{", path.read_text(encoding="utf-8"))]
    assert writing == ["intervals.py"]


# ----------------------------------------------------------------------------------------------------- formulas

EXTENSIONS = ["md_in_html", "tables", "pymdownx.arithmatex", "presswork.site.extension"]
SETTINGS = {"pymdownx.arithmatex": {"generic": True}}


def html(text: str) -> str:
    return markdown.markdown(text, extensions=EXTENSIONS, extension_configs=SETTINGS)


def test_formulas_of_text_tables_and_captions_become_mathml() -> None:
    text = html("Take $a < b$ and\n\n$$\n\\sum_{t} y_t\n$$\n\n| a |\n|---|\n| $x^2$ |\n")
    text += html('<figure markdown="block">\n<figcaption markdown="span">A $x^2$.</figcaption>\n</figure>\n')
    assert text.count("<math") == 4 and 'display="block"' in text and "&lt;" in text
    assert "$" not in text and "\\" not in text


def test_a_formula_with_an_error_stops_the_build() -> None:
    with pytest.raises(extension.FormulaError, match="foobar"):
        html(r"Take $\foobar{x}$.")


def test_dollars_in_code_and_prices_are_left_alone() -> None:
    """In notebook pages formulas are set outside code only, and a price is no formula."""
    text = extension.in_prose(
        r"<p>It costs $5 or $6. Take $x^2$ and $$y$$</p><pre>$x^2$</pre><code>$a$</code>"
    )
    assert text.count("<math") == 2 and "$5 or $6" in text and "<pre>$x^2$</pre>" in text
    assert "<code>$a$</code>" in text
