"""How a page reads, by line: words outside folds and tables, captions and paragraphs that are long, many marks, and numbers
that were typed by hand, where a measured one comes through a macro."""

import re

WORDS_A_CAPTION, SENTENCES_A_PARAGRAPH, MARKS_A_SENTENCE, MARKS_A_PARAGRAPH = 45, 6, 1, 3

UNREAD = re.compile(  # what is no running text; a caption is judged apart
    r"\A---\n.*?\n---\n"
    r"|\{%\s*raw\s*%\}.*?\{%\s*endraw\s*%\}"
    r"|\{\{-?\s*(?:fig|table|code|claims|paper_claims|after_rows|vocabulary|references|live|guess|reference|terms)\(.*?\)\s*-?\}\}"
    r"|^[ ]*(?P<fence>`{3,}|~{3,}).*?^[ ]*(?P=fence)"
    r"|<details.*?</details>|<!--.*?-->|</?[a-z][^>]*>"
    r"|\$\$.*?\$\$"
    r"|^#.*?$|^\|.*?$|^[ ]*[!?]{3}\+?[ ].*?$|^\*\[.*?$",
    re.DOTALL | re.MULTILINE,
)
CAPTION = re.compile(r"caption=(?P<quote>['\"])(.*?)(?<!\\)(?P=quote)", re.DOTALL)
MARK = re.compile(r"\s*\{\{-?\s*(?:turned\(\s*)?shows\(.*?\)\s*-?\}\}")
NUMBER = re.compile(r"\{\{.*?\}\}|\$[^$\n]+\$|`[^`\n]*`", re.DOTALL)
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])(?:\{[^}]*\})?")
END = re.compile(r"(?<![A-Z]\.)(?<!\be\.g)(?<!\bi\.e)(?<!\bal)(?<!\bvs)[.?!]['’”\")*]*(?:\s*◆)*(?=\s|$)")
ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+", re.MULTILINE)


def read(page: str) -> tuple[int, list[str]]:
    """The words, and the limits that are broken."""
    broken = [
        f"line {1 + page[: found.start()].count(chr(10))}: a caption of {len(found[2].split())} words"
        for found in CAPTION.finditer(page)
        if len(found[2].split()) > WORDS_A_CAPTION
    ]
    text = UNREAD.sub(lambda found: "\n" * found[0].count("\n"), page)
    text = LINK.sub(r"\1", NUMBER.sub("0", MARK.sub(lambda found: " ◆" + "\n" * found[0].count("\n"), text)))
    words = 0
    for line, paragraph in paragraphs(text):
        inside = sentences(paragraph)
        words += sum(len(sentence.replace("◆", "").split()) for sentence in inside)
        broken += [f"line {line}: {what}" for what in beyond(inside)]
    return words, broken


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


# What may hold decimals: macros, code, math, links and their targets, HTML tags, front matter.
EXEMPT = re.compile(
    r"\A---\n.*?\n---\n"  # front matter
    r"|\{%\s*raw\s*%\}.*?\{%\s*endraw\s*%\}"
    r"|\{\{.*?\}\}|\{%.*?%\}"
    r"|^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)"
    r"|^ +(?P<inner>`{3,}).*?^ +(?P=inner)"  # code inside tabs and folds
    r"|`[^`\n]*`"
    r"|\$\$.*?\$\$|\$[^$\n]+\$"
    r"|\]\([^)]*\)|<[^>]+>|https?://\S+"
    r"|LCDB 1\.1|(?:model|release)\*? \(0\.[12]\)",  # names
    re.DOTALL | re.MULTILINE,
)
DECIMAL = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.]*\w)")
REASON = re.compile(r"\A---\n(?:.*\n)*?numbers_by_hand: *(\S.*)\n(?:.*\n)*?---\n")


def bare_decimals(page: str) -> list[tuple[int, str]]:
    """(line, number) of each decimal in the prose of a page; none if the page says why it may."""
    if REASON.match(page):
        return []
    prose = EXEMPT.sub(lambda m: "\n" * m[0].count("\n"), page)
    return [(prose[: m.start()].count("\n") + 1, m[0]) for m in DECIMAL.finditer(prose)]
