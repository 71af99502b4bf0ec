"""Guards tests/site/sentences.py, and by it the pages: short captions and paragraphs, few marks."""

from pathlib import Path

import pytest

from tests.site import sentences

PAGES = sorted(
    path for path in sentences.DOCS.rglob("*.md") if path.name != "log.md"
)  # a log keeps its old entries
REFERENCE = {
    "command-line.md",
    "python.md",
    "all-claims.md",
    "corrections.md",
}  # is looked up, not read from top to bottom
MARK = "{{ shows('q/c', 'yes') }}"


@pytest.mark.parametrize(
    ("page", "broken"),
    [
        ("One sentence. Another one " + MARK + ".", []),
        (f"Both {MARK} in one {MARK}. Next.", ["line 1: 2 marks in the sentence 'Both ◆ in one ◆.'"]),
        (f"A {MARK}. B {MARK}. C {MARK}.\n\n- D {MARK}.\n- E.", []),
        (f"# T\n\nA {MARK}. B {MARK}.\nC {MARK}. D {MARK}.", ["line 3: 4 marks in a paragraph"]),
        ("A. B! C? D. E. F. G.", ["line 1: 7 sentences in a paragraph"]),
        ("x\n\n{{ fig('q/f',\n  caption='" + 46 * "word " + "') }}", ["line 4: a caption of 46 words"]),
        ("<details>\n" + 7 * "A. " + "\n</details>\n```\n" + 7 * "A. " + "\n```", []),
    ],
)
def test_what_breaks_a_limit_is_found_with_its_line(page, broken):
    assert sentences.read(page).broken == broken


def test_words_are_those_that_a_reader_sees_outside_folds_and_tables():
    page = "---\ntitle: x\n---\n# H\n\nTwo [words](page.md#x). <b>Three</b> `more` {{ val('q/t', 'r') }}.\n\n| a | b |\n"
    assert sentences.read(page)[:3] == (5, 2.5, 2)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: Path(path).name)
def test_pages_captions_and_paragraphs_are_short_and_marks_few(path):
    page = sentences.read(path.read_text(encoding="utf-8"))
    assert page.broken == []
    assert page.words <= 1200 or path.name in REFERENCE
