"""Claims on a page: a badge for the verdict, what the words mean, the card behind a claim, and the table of all of them."""

from __future__ import annotations

import html

from reproduce._press.claim_text import (
    EXPLAINED,
    Claim,
    exact,
    holds_if,
    missing,
    printed,
    sentence,
    value,
    verdict,
)
from reproduce._site import blocks

HEADER = ["Question", "Answer", "Published", "Here", "Needed", "Paper", "Scale"]
MARKS = {"yes": "✓", "no": "✗", "unclear": "?", "not tested": "–"}
VOCABULARY = "verdicts"  # the id of the list, on the one page that has it


def badge(claim: Claim) -> str:
    """The answer in a word; what it needs is said when it is pointed at."""
    word, condition = verdict(claim), holds_if(claim)
    title = f"needed {condition}; {EXPLAINED[word]}" if condition else EXPLAINED[word]
    return f'<span class="cc-verdict cc-{word.replace(" ", "-")}" title="{html.escape(title)}">{word}</span>'


def mark(claim: Claim, here: Claim | None) -> str:
    """The answer as a sign, for running text; and the answer of a run on this machine, where it is another one."""
    word = verdict(claim)
    other = verdict(here) if here else word
    differs = f' <span class="cc-differs">here: {other}</span>' if other != word else ""
    return (
        f'<span class="cc-mark cc-{word.replace(" ", "-")}" aria-label="{word}">{MARKS[word]}</span>{differs}'
    )


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

    While what is measured is what was published, one column says both; where the paper prints nothing, none says so.
    `explained`: link to what the verdicts mean.
    """
    again = any(old and value(old) != value(new) for mine in rows.values() for new, old, _, _ in mine)
    left_out = set() if again else {"Published"}
    left_out |= set() if any(printed(new) != "–" for mine in rows.values() for new, *_ in mine) else {"Paper"}
    shown = [name for name in HEADER if name not in left_out]
    header = shown if again else ["Found" if name == "Here" else name for name in shown]
    body = ""
    for question, mine in rows.items():
        if mine and question in titles:
            title = html.escape(titles[question])
            body += f'<tr class="cc-group"><th scope="rowgroup" colspan="{len(header)}">{title}</th></tr>'
        body += "".join(_line(*row, shown, header) for row in mine)
    return html_table(header, body, "Claims", explained=explained)


def _line(claim: Claim, old: Claim | None, scale: str, link: str, shown: list[str], header: list[str]) -> str:
    text = blocks.cell(sentence(claim))
    cells = {"Answer": badge(claim), "Published": value(old) if old else "–", "Here": value(claim),
             "Needed": html.escape(holds_if(claim)), "Paper": html.escape(printed(claim)), "Scale": scale}  # fmt: skip
    first = f'<a href="{link}">{text}</a>' if link else text
    rest = "".join(said(title, cells[name]) for name, title in zip(shown[1:], header[1:], strict=True))
    return f'<tr><th scope="row">{first}</th>{rest}</tr>'


def said(title: str, text: str, kind: str = "") -> str:
    """A cell that also says of which column it is: on a phone the cells of a claim stand below one another."""
    of_kind = f' class="{kind}"' if kind else ""
    return f'<td{of_kind} data-title="{title}">{text}</td>'


def html_table(header: list[str], body: str, label: str, kind: str = "cc-claims", explained: str = "") -> str:
    said = {"Answer": f'<a href="{explained}">Answer</a>'} if explained else {}
    head = "".join(f'<th scope="col">{said.get(h, h)}</th>' for h in header)
    return (
        f'\n<div class="cc-scroll {kind}" tabindex="0" role="region" aria-label="{label}" markdown="0">'
        f'<table class="cc-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>\n'
    )


def facts(claim: Claim, scale: str) -> dict[str, str]:
    """What the card behind a claim says."""
    return {
        "Question": sentence(claim) if "asks" in claim else "",
        "Answer": f"{verdict(claim)}: {EXPLAINED[verdict(claim)]}",
        "Found": value(claim) + (" (counted)" if exact(claim) and not missing(claim.get("value")) else ""),
        "Needed": holds_if(claim),
        "Paper": "" if missing(claim.get("printed")) else printed(claim),
        "Scale": scale,
    }
