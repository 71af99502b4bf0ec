"""Claims on a page: a badge for the verdict, what the words mean, the card behind a claim, and the table of all of them."""

from __future__ import annotations

import html

from reproduce._press.claim_text import EXPLAINED, Claim, holds_if, missing, printed, sentence, value, verdict
from reproduce._site import blocks

HEADER = ["Claim", "Paper", "Holds if", "Published", "Here", "Verdict", "Scale"]
VOCABULARY = "verdicts"  # the id of the list, on the one page that has it


def badge(claim: Claim) -> str:
    """The card says the condition, and so does the mark itself when it is pointed at."""
    word, condition = verdict(claim), holds_if(claim)
    title = f"holds if {condition}; {EXPLAINED[word]}" if condition else EXPLAINED[word]
    return f'<span class="cc-verdict cc-{word.replace(" ", "-")}" title="{html.escape(title)}">{word}</span>'


def vocabulary() -> str:
    """Each word with its mark and its meaning."""
    lines = ""
    for word, meaning in EXPLAINED.items():
        mark = f'<span class="cc-verdict cc-{word.replace(" ", "-")}">{word}</span>'
        lines += f"<dt>{mark}</dt><dd>{html.escape(meaning)}</dd>"
    return f'\n<dl class="cc-words" id="{VOCABULARY}" markdown="0">{lines}</dl>\n'


Row = tuple[Claim, Claim | None, str, str]  # as measured, as published, scale, link to where it is shown


def table(rows: dict[str, list[Row]], titles: dict[str, str], explained: str = "") -> str:
    """The claims of each question, below its title where there is one.

    While what is measured is what was published, one column says both. `explained`: link to what the verdicts mean.
    """
    again = any(old and value(old) != value(new) for mine in rows.values() for new, old, _, _ in mine)
    header = HEADER if again else [h if h != "Here" else "Measured" for h in HEADER if h != "Published"]
    body = ""
    for question, mine in rows.items():
        if mine and question in titles:
            title = html.escape(titles[question])
            body += f'<tr class="cc-group"><th scope="rowgroup" colspan="{len(header)}">{title}</th></tr>'
        body += "".join(_line(*row, again) for row in mine)
    return html_table(header, body, "Claims", explained=explained)


def _line(claim: Claim, old: Claim | None, scale: str, link: str, again: bool) -> str:
    text = blocks.cell(sentence(claim))
    cells = [html.escape(printed(claim)), html.escape(holds_if(claim)), value(claim), badge(claim), scale]
    if again:
        cells.insert(2, value(old) if old else "–")
    first = f'<a href="{link}">{text}</a>' if link else text
    return f'<tr><th scope="row">{first}</th>' + "".join(f"<td>{c}</td>" for c in cells) + "</tr>"


def html_table(header: list[str], body: str, label: str, kind: str = "cc-claims", explained: str = "") -> str:
    said = {"Verdict": f'<a href="{explained}">Verdict</a>'} if explained else {}
    head = "".join(f'<th scope="col">{said.get(h, h)}</th>' for h in header)
    return (
        f'\n<div class="cc-scroll {kind}" tabindex="0" role="region" aria-label="{label}" markdown="0">'
        f'<table class="cc-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'
    )


def facts(claim: Claim, scale: str) -> dict[str, str]:
    """What the card behind a claim says."""
    return {
        "Measured": value(claim),
        "Holds if": holds_if(claim),
        "Verdict": f"{verdict(claim)}: {EXPLAINED[verdict(claim)]}",
        "Paper": "" if missing(claim.get("printed")) else printed(claim),
        "Scale": scale,
    }
