"""The macros that state claims: a number and a mark in a sentence, tables of ours and of the paper's, and counts."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from presswork import claim_text
from presswork.answers import claims_file, ledger_file
from presswork.answers.answer import NOT_HERE, Answer
from presswork.answers.ledger_file import HEADER, Ledger, line, turned
from presswork.claim_text import Claim
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError
from presswork.questions import title
from presswork.site import blocks, provenance, verdicts
from presswork.site.here import Here, file_of, split
from presswork.site.verdicts import labelled_row

NUMBERS = ("value", "low", "high", "printed")
UNASKED = dict.fromkeys(NUMBERS) | {"answer": "not tested", "needs": {"above": 0}, "unit": ""}


AFTER_ROWS = Path(BLOG.printed, "after_rows.csv")


class Stated(Here):
    stops: tuple[str, tuple[str, ...]] = ("", ())  # a page, and those of its last turn

    @cached_property
    def late(self) -> set[str]:
        """The claims that were added or changed after their rows had been seen, as question/name."""
        return {name for row in self._late_rows() for name in row["claims"].split()}

    def _late_rows(self) -> list[dict[str, str]]:
        path = self.root / AFTER_ROWS
        return claims_file.lines_of(path) if path.is_file() else []

    def found(self, name: str, interval: bool = False) -> str:
        """What was found, with its unit; interval=True: and its 95 % interval."""
        claim, answer = self.claim(name, "found")
        text = claim_text.value(claim) if interval else claim_text.found(claim)
        text = NOT_HERE if answer.origin == "here" and claim_text.missing(claim["value"]) else text
        facts = verdicts.facts(claim, provenance.made_how(answer), name in self.late)
        return blocks.card(blocks.inline(text), facts)

    def shows(self, name: str, answer: str) -> str:
        """A mark with the card of the claim: ✓ where the answer is the one that the sentence was written for, and decided.

        In a cell of a hand-written table it is the answer in a word.
        """
        claim, published = self.claim(name, "shows")
        if answer not in claim_text.EXPLAINED:
            raise UserError(f"shows('{name}', '{answer}'): an answer is {', '.join(claim_text.EXPLAINED)}.")
        if (now := claim_text.answer(claim)) != answer and published.origin == "published":
            sought = claims_file.Mark(f"docs/{file_of(self.env.page)}", 0, name, answer)
            marks = claims_file.marks(self.root / "docs")
            found = next((mark for mark in marks if mark._replace(line=0) == sought), sought)
            raise UserError(found.contradicts(now))
        here = self.answers.of(name.partition("/")[0])[-1].claims.get(claim["name"])
        facts = verdicts.facts(claim, provenance.made_how(published), name in self.late)
        return blocks.card(verdicts.mark(claim, answer, here), facts, kind="cc-val cc-shows")

    def turn(self, chosen: str, *stops: str) -> str:
        """A choice in a sentence; `turned`, further on in its paragraph, shows what is found at each of these stops.

        chosen  what is chosen, for those who hear the page: "Epochs observed"
        """
        if not chosen.strip() or not 2 <= len(set(stops)) == len(stops) <= blocks.STOPS:
            asks = f"needs words and two to {blocks.STOPS} stops, each another one."
            raise UserError(f"turn('{chosen}') {asks}")
        self.stops = (self.slug, stops)
        return blocks.turn(chosen, stops)

    def turned(self, *shown: str) -> str:
        """What other macros show at each stop of the `turn` before it, in its order.

        "" where a stop has no mark: then the sentence leaves no space before this macro.
        """
        stops = self.stops[1] if self.stops[0] == self.slug else ()
        if len(shown) != len(stops):
            there = f"the turn before it has {len(stops)} stops" if stops else "no turn is before it"
            raise UserError(f"turned() shows {len(shown)} things, and {there}.")
        return blocks.turned(shown)

    def claims(self, *questions: str) -> str:
        """The table of the named questions; or of all, in a fold for each page."""
        if not questions:
            return self._claims_by_page()
        titles = {q: title(q, self.root) for q in questions} if len(questions) > 1 else {}
        return verdicts.table({q: self._rows(q) for q in questions}, titles, self.link_to_words())

    def _claims_by_page(self) -> str:
        by_page: dict[str, dict[str, list[verdicts.Row]]] = {}
        for question in self.questions():
            slug, _ = self.shown_on(question) or ("", "")
            by_page.setdefault(slug, {})[question] = self._rows(question)
        folds = []
        for slug, rows in by_page.items():
            heading = self.pages[slug].title if slug else "Shown on no page"
            answers = [claim_text.answer(row.claim) for mine in rows.values() for row in mine]
            titles = {q: title(q, self.root) for q in rows}
            inside = verdicts.table(rows, titles, self.link_to_words())
            folds.append((heading, verdicts.folded(f"claims-{slug}", heading, answers, inside)))
        return "".join(fold for _, fold in sorted(folds))

    def retired(self) -> str:
        """Claims that are no longer asked, in a fold: the last answer of each, the day it went, and why."""
        return verdicts.retired(self.gone())

    def gone(self) -> list[dict[str, str]]:
        """Retired claims, without those that another question asks now by the same name and in the same words."""
        asked = {(claim["name"], claim["asks"]) for claim in self.published_claims().values()}
        gone = claims_file.retired(self.root)
        return [row for row in gone if (row["claim"].partition("/")[2], row["asks"]) not in asked]

    def after_rows(self) -> str:
        """Claims that were added or changed when their rows had been seen, and why; each is published, or is retired."""
        body, gone = "", {row["claim"]: row for row in claims_file.retired(self.root)}
        for row in self._late_rows():
            names = row["claims"].split()
            told = [verdicts.badge(gone.get(name) or self.claim(name, "after_rows")[0]) for name in names]
            shown = (name.replace("/", "/<wbr>") + "</code>" + " retired," * (name in gone) for name in names)
            named = "<br>".join(f"<code>{name} {badge}" for name, badge in zip(shown, told, strict=True))
            body += labelled_row(["Claims", "Why"], [named, html.escape(row["why"])])
        label = "Claims changed after their rows"
        return verdicts.html_table(["Claims", "Why"], body, label, "cc-claims cc-paper")

    def reproductions(self) -> str:
        """What others found who made the blog again, from the files in ledger/; a bad one stops the build."""
        known = self.published_claims()
        return tables(ledger_file.read([], known, self.root), known, self.link_to_question)

    def vocabulary(self) -> str:
        """What the answers mean; one page says it."""
        return verdicts.vocabulary()

    def published_claims(self) -> dict[str, Claim]:
        """By question/name."""
        published = {q: self.answers.of(q)[0].claims for q in self.questions()}
        return {f"{q}/{name}": claim for q, mine in published.items() for name, claim in mine.items()}

    def _rows(self, question: str) -> list[verdicts.Row]:
        """As made here, else as published: a run here may still go on."""
        published, *made_here = self.answers.of(question)
        claims: dict[str, tuple[Claim, str]] = {}
        for answer in (published, *made_here):
            claims |= {name: (claim, answer.size) for name, claim in answer.claims.items()}
        link, rows = self.link_to_question(question), []
        for name, (claim, size) in claims.items():
            late = f"{question}/{name}" in self.late
            rows.append(verdicts.Row(claim, published.claims.get(name), size, link, late))
        return rows

    def claim(self, name: str, macro: str) -> tuple[Claim, Answer]:
        question, claim_name = split(name, macro)
        answer = self.answers.of(question)[0]
        if claim_name not in answer.claims and answer.origin == "here":
            asks = "Not asked of the parts that were measured here."
            return {"name": claim_name, "asks": asks} | UNASKED, answer
        return answer.claim(claim_name), answer


# --------------------------------------------------------------------------------------------------- ledgers of others

TURNED = ["Question that turned", "Published", "Elsewhere", "How often"]


def tables(ledgers: list[Ledger], known: dict[str, Claim], link: Callable[[str], str]) -> str:
    """`link(question)` leads to where it is shown. Whatever a ledger says is shown as text."""
    body = "".join(labelled_row(HEADER, [*map(blocks.cell, line(ledger))]) for ledger in ledgers)
    turns = ""
    for name, (published, where, often) in turned(ledgers, known).items():
        asked = blocks.cell(claim_text.question(known[name]))
        asked = f'<a href="{link(name.partition("/")[0])}">{asked}</a>'
        cells = [asked, blocks.cell(published), "<br>".join(map(blocks.cell, where)), often]
        turns += labelled_row(TURNED, cells)
    below = verdicts.html_table(TURNED, turns, "Claims that turned", "cc-claims cc-paper")
    return verdicts.html_table(HEADER, body, "Reproductions", "cc-claims cc-paper") + below * bool(turns)
