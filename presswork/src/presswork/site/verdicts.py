"""Claims on a page: the answer as a word, the mark of a sentence, the card behind a claim, the table of all."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from presswork import claim_text
from presswork.claim_text import EXPLAINED, Claim
from presswork.site import blocks

HEADER = ["Question", "Answer", "Published", "Here", "Needed", "Paper", "Scale"]
RETIRED = ["Question", "Answer", "Found", "Retired", "Why"]
BORNE_OUT, OPEN = ("yes", "✓", "borne out"), ("unclear", "?", "open")  # class, sign and words of a mark
IN_A_TABLE = re.compile(r'<span class="cc-mark [^>]*title="[^"]*\? (yes|no|unclear|not tested)">.</span>')
ROW = re.compile(r"^\|.*", re.MULTILINE)  # of a table that is written by hand
LATE = "added or changed after its rows had been seen"
VOCABULARY = "verdicts"  # the id of the list, on the one page that has it
ANSWER_BOX = re.compile(r'^!!! abstract "Answer"\n(?:(?: {4}.*)?\n)*', re.MULTILINE)
LEGEND = "✓ what we measured bears the sentence out · ? open. A click shows the question, what was found and what was needed."


def badge(claim: Claim) -> str:
    """The answer in a word; what it needs is said when it is pointed at."""
    word = claim_text.answer(claim)
    needed = f"needed {claim_text.needed(claim)}; " if "needs" in claim else ""  # a retired one has none
    return _word(word, f"{needed}{claim_text.meaning(claim)}")


def _word(word: str, title: str = "") -> str:
    said = f' title="{html.escape(title)}"' if title else ""
    return f'<span class="cc-verdict cc-{word.replace(" ", "-")}"{said}>{word}</span>'


NOT_TESTED = _word("not tested", "nothing of ours tests it yet")


def mark(claim: Claim, sentence: str, here: Claim | None) -> str:
    """Whether a sentence that was written for this answer is borne out; and the answer here, where it is another one."""
    word = claim_text.answer(claim)
    other = claim_text.answer(here) if here else word
    differs = f' <span class="cc-differs">here: {other}</span>' if other != sentence else ""
    kind, sign, label = BORNE_OUT if word == sentence and word in ("yes", "no") else OPEN
    asked = html.escape(f"{claim_text.question(claim)} {word}")
    return f'<span class="cc-mark cc-{kind}" role="img" aria-label="{label}" title="{asked}">{sign}</span>{differs}'


def words_in_tables(page: str) -> str:
    """The same page, in whose hand-written tables the answers are words: a cell is no sentence that could be borne out."""
    return ROW.sub(lambda row: IN_A_TABLE.sub(lambda m: _word(m[1]), row[0]), page)


def with_legend(page: str) -> str:
    """Below the answer box, what the marks of a page mean."""
    box = ANSWER_BOX.search(page) if "cc-shows" in page else None
    if box is None:
        return page
    return f'{page[: box.end()]}<p class="cc-legend">{LEGEND}</p>\n\n{page[box.end() :]}'


def vocabulary() -> str:
    lines = "".join(f"<dt>{_word(w)}</dt><dd>{html.escape(means)}</dd>" for w, means in EXPLAINED.items())
    return f'\n<dl class="cc-words" id="{VOCABULARY}" markdown="0">{lines}</dl>\n'


class Row(NamedTuple):
    claim: Claim  # as it was measured here, else as it is published
    published: Claim | None
    scale: str
    link: str  # to where it is shown
    late: bool = False  # was it asked after its rows had been seen?


def table(rows: dict[str, list[Row]], titles: dict[str, str], explained: str = "") -> str:
    """The claims of each question, below its title where there is one.

    While what is measured is what was published, one column says both; where the paper prints nothing, none says so.
    `explained`: the link to what the answers mean.
    """
    columns = {name: name for name in HEADER}
    every = [row for mine in rows.values() for row in mine]
    if not any(row.published and _value(row.published) != _value(row.claim) for row in every):
        columns |= {"Here": "Found"}
        del columns["Published"]
    if all(claim_text.missing(row.claim["printed"]) for row in every):
        del columns["Paper"]
    body = ""
    for question, mine in rows.items():
        if mine and question in titles:
            title = html.escape(titles[question])
            body += f'<tr class="cc-group"><th scope="rowgroup" colspan="{len(columns)}">{title}</th></tr>'
        body += "".join(_line(row, columns) for row in mine)
    return html_table(list(columns.values()), body, "Claims", explained=explained)


def folded(anchor: str, title: str, answers: Iterable[str], inside: str) -> str:
    """Claims behind a title and the count of their answers; a link to the anchor opens them."""
    counted = f"<small>{claim_text.counted(answers)}</small>"
    summary = f'<summary markdown="0">{html.escape(title)} {counted}</summary>'
    return f'\n<details id="{anchor}" markdown="block">\n{summary}\n{inside}\n</details>\n'


def retired(rows: list[dict[str, str]]) -> str:
    """What was last found of each claim that is no longer asked, behind the count of its answers."""
    body, before = "", ""
    for row in rows:
        if (question := row["claim"].partition("/")[0]) != before:
            body += f'<tr class="cc-group"><th scope="rowgroup" colspan="{len(RETIRED)}">{question}</th></tr>'
            before = question
        numbers = {key: float(row[key]) if row[key] else None for key in ("value", "low", "high")}
        last = claim_text.value(row | numbers | {"needs": {"above": 0}})
        day = f"{date.fromisoformat(row['date']):%d %b %Y}".replace(" ", "\u00a0")
        asked = claim_text.question(row) or row["claim"].partition("/")[2].replace("_", " ")
        cells = [blocks.cell(asked), _word(row["answer"]), last, day, html.escape(row["why"])]
        body += labelled_row(RETIRED, cells)
    table = html_table(RETIRED, body, "Retired claims")
    return folded("retired", "Retired claims", map(claim_text.answer, rows), table)


def _value(claim: Claim | None) -> str:
    """With what its interval is taken over."""
    if not claim:
        return "–"
    over = claim_text.over(claim)
    return html.escape(claim_text.value(claim)) + f"<br><small>over {html.escape(over)}</small>" * bool(over)


def _line(row: Row, columns: dict[str, str]) -> str:
    question = blocks.cell(claim_text.question(row.claim))
    question = f'<a href="{row.link}">{question}</a>' if row.link else question
    cells = {
        "Question": question + f"<br><small>{LATE}</small>" * row.late,
        "Answer": badge(row.claim),
        "Published": _value(row.published),
        "Here": _value(row.claim),
        "Needed": html.escape(claim_text.needed(row.claim)),
        "Paper": html.escape(claim_text.printed(row.claim)),
        "Scale": row.scale,
    }
    return labelled_row([*columns.values()], [cells[name] for name in columns])


def labelled_row(header: list[str], cells: list[str]) -> str:
    rest = "".join(map(labelled, header[1:], cells[1:]))
    return f'<tr><th scope="row">{cells[0]}</th>{rest}</tr>'


def labelled(title: str, text: str, kind: str = "") -> str:
    """A cell that also says of which column it is: on a phone the cells of a claim stand below one another."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<td{of_kind} data-title="{title}">{text}</td>'


def html_table(header: list[str], body: str, label: str, kind: str = "cc-claims", explained: str = "") -> str:
    said = {"Answer": f'<a href="{explained}">Answer</a>'} if explained else {}
    head = "".join(f'<th scope="col">{said.get(h, h)}</th>' for h in header)
    table = f'<table class="cc-table" data-search-exclude><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    box = f'<div class="cc-scroll {kind}" tabindex="0" role="group" aria-label="{label}" markdown="0">'
    return f"\n{box}{blocks.aside(table)}</div>\n"


def facts(claim: Claim, scale: str, late: bool = False) -> dict[str, str]:
    word = claim_text.answer(claim)
    counted = claim_text.exact(claim) and word != "not tested"
    return {
        "Question": claim_text.question(claim),
        "Asked": LATE if late else "",
        "Answer": f"{word}: {claim_text.meaning(claim)}",
        "Found": claim_text.value(claim) + (" (no interval)" if counted else ""),
        "Interval": f"95 %, over {over}" if (over := claim_text.over(claim)) else "",
        "Needed": claim_text.needed(claim),
        "Paper": "" if claim_text.missing(claim["printed"]) else claim_text.printed(claim),
        "Scale": scale,
    }
