"""Measures how the sentences of pages read: python -m tests.site.sentences

Of each page: words that are visible outside folds and tables, mean length of a sentence, and the longest paragraph in
sentences. What breaks a limit is listed below, by line.
"""

import re
from pathlib import Path
from typing import NamedTuple

DOCS = Path(__file__).resolve().parents[2] / "docs"
WORDS_A_CAPTION, SENTENCES_A_PARAGRAPH, MARKS_A_SENTENCE, MARKS_A_PARAGRAPH = 45, 6, 1, 3

UNREAD = re.compile(  # what is no running text; a caption is judged apart
    r"\A---\n.*?\n---\n"
    r"|\{%\s*raw\s*%\}.*?\{%\s*endraw\s*%\}"
    r"|\{\{-?\s*(?:fig|table|code|claims|paper_claims|after_rows|vocabulary|references|live|reference|terms)\(.*?\)\s*-?\}\}"
    r"|^[ ]*(?P<fence>`{3,}|~{3,}).*?^[ ]*(?P=fence)"
    r"|<details.*?</details>|<!--.*?-->|</?[a-z][^>]*>"
    r"|\$\$.*?\$\$"
    r"|^#.*?$|^\|.*?$|^[ ]*[!?]{3}\+?[ ].*?$|^\*\[.*?$",
    re.DOTALL | re.MULTILINE,
)
CAPTION = re.compile(r"caption=(?P<quote>['\"])(.*?)(?<!\\)(?P=quote)", re.DOTALL)
MARK = re.compile(r"\s*\{\{-?\s*shows\(.*?\)\s*-?\}\}")
NUMBER = re.compile(r"\{\{.*?\}\}|\$[^$\n]+\$|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])(?:\{[^}]*\})?")
END = re.compile(r"(?<![A-Z]\.)(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.?!]['’”\")*]*(?:\s*◆)*(?=\s|$)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+", re.MULTILINE)


class Page(NamedTuple):
    words: int
    mean: float  # words a sentence
    longest: int  # sentences of the longest paragraph
    broken: list[str]  # limits, each with its line


def read(page: str) -> Page:
    broken = [
        f"line {1 + page[: found.start()].count(chr(10))}: a caption of {len(found[2].split())} words"
        for found in CAPTION.finditer(page)
        if len(found[2].split()) > WORDS_A_CAPTION
    ]
    text = UNREAD.sub(lambda found: "\n" * found[0].count("\n"), page)
    text = LINK.sub(r"\1", NUMBER.sub("0", MARK.sub(lambda found: " ◆" + "\n" * found[0].count("\n"), text)))
    lengths: list[int] = []
    longest = 0
    for line, paragraph in paragraphs(text):
        inside = sentences(paragraph)
        lengths += [len(sentence.replace("◆", "").split()) for sentence in inside]
        longest = max(longest, len(inside))
        broken += [f"line {line}: {what}" for what in beyond(inside)]
    return Page(sum(lengths), sum(lengths) / max(1, len(lengths)), longest, broken)


def paragraphs(text: str) -> list[tuple[int, str]]:
    """Each with its line; an item of a list is a paragraph of its own."""
    found, line = [], 1
    for block in re.split(r"(\n\s*\n)", text):
        at = line
        for item in ITEM.split(block):
            if item.strip():
                found.append((at, " ".join(item.split())))
            at += item.count("\n")
        line += block.count("\n")
    return found


def sentences(paragraph: str) -> list[str]:
    """A mark belongs to the sentence that it follows or stands in."""
    starts = [0, *(end.end() for end in END.finditer(paragraph))]
    pieces = [paragraph[a:b].strip() for a, b in zip(starts, [*starts[1:], len(paragraph)], strict=True)]
    return [piece for piece in pieces if re.search(r"\w", piece)]


def beyond(inside: list[str]) -> list[str]:
    marks = [sentence.count("◆") for sentence in inside]
    wrong = [
        f"{n} marks in the sentence {sentence[:60]!r}"
        for n, sentence in zip(marks, inside, strict=True)
        if n > MARKS_A_SENTENCE
    ]
    wrong += [f"{sum(marks)} marks in a paragraph"] if sum(marks) > MARKS_A_PARAGRAPH else []
    return wrong + (
        [f"{len(inside)} sentences in a paragraph"] if len(inside) > SENTENCES_A_PARAGRAPH else []
    )


if __name__ == "__main__":
    print(f"{'page':34}{'words':>7}{'a sentence':>12}{'a paragraph':>13}")
    for path in sorted(DOCS.rglob("*.md")):
        page = read(path.read_text(encoding="utf-8"))
        print(f"{path.relative_to(DOCS).as_posix():34}{page.words:7}{page.mean:12.1f}{page.longest:13}")
        for what in page.broken:
            print(f"    {what}")
