"""What the paper prints and claims, where, and which claims of ours test it: tables in reproduce/printed, and counts.

`ours` names the tests, "who tests it (what is measured): question/claim; …", and is empty where nothing of ours does.
A *stand-in* is what we have in place of theirs: curves of the prior for their tasks, a network of ours for one of theirs.
Corrections of notes are tables whose rows name the test or page that shows them.
"""

from __future__ import annotations

import html
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from presswork import claim_text
from presswork.answers.claims_file import lines_of
from presswork.claim_text import Claim
from presswork.ground.blog import BLOG
from presswork.ground.errors import UserError
from presswork.site import blocks, verdicts
from presswork.site.stated import Stated
from presswork.site.verdicts import labelled

OWN_TABLE = "its own table"  # the paper is compared with itself: nothing was run, so there is no scale
STAND_IN = "stand-in"  # how its name begins; the answer is then not about the very thing that the paper means
HEADER = ["The paper claims", "Section", "Printed", "Answer", "Ours", "Needed", "Tested by"]


class Paper(Stated):
    MACROS = ("paper_claims", "corrections", "tally", "printed")

    def paper_claims(self) -> str:
        """What the paper claims, and what the claims of ours say that test it."""
        rows = []
        for row in read(self.root):
            tests = [Test(by, measured, *self._shown(name)) for by, measured, name in row.tests]
            rows.append((row, tests))
        return table(rows, self.link_to_words())

    def corrections(self, notes: str) -> str:
        """What one of the notes that this blog follows says, what is right, and what shows it."""
        told = corrections_of(self.root)
        if notes not in told:
            raise UserError(f"corrections('{notes}'): there are rows of {', '.join(told)}.")
        return table_of_corrections(told[notes], self.page_link)

    def tally(self, of: str) -> str:
        """How many are answered yes, no, unclear and not tested: of 'paper', 'own table', 'stand-ins' or 'all'.

        'open': how many of all have no answer, retired ones included.
        """
        told = read(self.root)
        claims = self.published_claims()
        for row in told:  # each test must be there
            claims |= {name: self.claim(name, "tally")[0] for *_, name in row.tests}
        return counted(of, told, claims, self.gone())

    def printed(self, method: str, cutoff: int | None = None, quantity: str = "log-likelihood") -> str:
        """A number that a paper prints, with a card that says where."""
        row = lookup(self.root / BLOG.printed / "printed.csv", method, cutoff, quantity)
        at = f"at a cutoff of {cutoff} %" if cutoff is not None else ""
        where = f"{row['source']}, {row['section']}, {row['table']}"
        facts = {"Printed in": where, "What": f"{quantity} of {method} {at}"}
        return blocks.card(blocks.inline(claim_text.tidy(row["value"])), facts, kind="cc-val cc-printed")

    def _shown(self, name: str) -> tuple[Claim, str, str]:
        claim, answer = self.claim(name, "paper_claims")
        return claim, answer.size, self.link_to_question(name.split("/")[0])


@dataclass(frozen=True)
class PaperClaim:
    claim: str
    section: str
    printed: str
    tests: list[tuple[str, str, str]]  # (who tests it, what is measured, "question/claim")


@dataclass(frozen=True)
class Test:
    by: str
    measured: str
    claim: claim_text.Claim
    scale: str
    link: str

    def cells(self) -> list[str]:
        value, words = html.escape(claim_text.value(self.claim)), html.escape(claim_text.question(self.claim))
        value = f'<a href="{self.link}" title="{words}">{value}</a>' if self.link and value != "–" else value
        scale = "" if self.by == OWN_TABLE else f" ({self.scale})"
        return [
            verdicts.badge(self.claim),
            value.replace("\u00a0nats", " nats").replace(" [", " <br>["),
            html.escape(f"{self.measured} {claim_text.needed(self.claim)}"),
            html.escape(self.by + scale),
        ]


def read(root: Path) -> list[PaperClaim]:
    told = lines_of(root / BLOG.printed / "paper_claims.csv")
    return [PaperClaim(r["claim"], r["section"], r["printed"], tests(r["ours"])) for r in told]


def tests(ours: str) -> list[tuple[str, str, str]]:
    triples = []
    for test in filter(None, (piece.strip() for piece in ours.split(";"))):
        if not (said := re.fullmatch(r"([^(]+) \(([^)]+)\): (\S+/\S+)", test)):
            raise UserError(
                f"reproduce/printed/paper_claims.csv: {test!r} should read "
                "'who tests it (what is measured): question/claim'."
            )
        triples.append((said[1], said[2], said[3]))
    return triples


def table(rows: list[tuple[PaperClaim, list[Test]]], explained: str = "") -> str:
    """A claim that several of ours test spans their rows."""
    body = ""
    for row, tested in rows:
        lines = [test.cells() for test in tested] or [[verdicts.NOT_TESTED, "–", "–", "–"]]
        span = f' rowspan="{len(lines)}"' if len(lines) > 1 else ""
        first = f'<th scope="row"{span}>{blocks.cell(row.claim)}</th>'
        first += f'<td{span} data-title="Section">{blocks.cell(row.section)}</td>'
        first += f'<td{span} data-title="Printed">{blocks.cell(row.printed)}</td>'
        for badge, value, needed, by in lines:
            body += f"<tr>{first}{labelled('Answer', badge)}{labelled('Ours', value, 'cc-interval')}"
            body += f"{labelled('Needed', needed)}{labelled('Tested by', by)}</tr>"
            first = ""
    return verdicts.html_table(HEADER, body, "Claims of the paper", "cc-claims cc-paper", explained)


# ------------------------------------------------------------------------------------------- numbers that papers print

PRINTED = ["source", "section", "table", "method", "cutoff", "quantity", "value"]


def lookup(path: Path, method: str, cutoff: int | None, quantity: str) -> dict[str, str]:
    """The one printed number with this method, cutoff and quantity."""
    wanted = {"method": method, "cutoff": "" if cutoff is None else str(cutoff), "quantity": quantity}
    every = lines_of(path)
    matches = [row for row in every if row.items() >= wanted.items()]
    if len(matches) != 1:
        key = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        mine = (row for row in every if row["method"] == method)
        others = [f"{row['cutoff'] or 'no cutoff'}/{row['quantity']}" for row in mine]
        known = f"{method} has {', '.join(others)}" if others else "no row has this method"
        raise UserError(f"reproduce/printed/printed.csv has {len(matches)} rows with {key}; {known}.")
    return matches[0]


# -------------------------------------------------------------------------------------------------------------- counts

TAIL = 40  # where the truth lies right at a bound, one 95 % interval in forty lies wholly on the wrong side


def counted(of: str, told: list[PaperClaim], claims: dict[str, Claim], gone: list[Claim]) -> str:
    """`told`: what the paper claims; `claims`: every claim of ours, by question/name; `gone`: those that are retired."""
    # each once: one test may serve two sentences of the paper
    tests = dict.fromkeys((by, name) for row in told for by, _, name in row.tests)
    reread = [name for by, name in tests if by == OWN_TABLE]
    stand_ins = [name for by, name in tests if by.startswith(STAND_IN)]
    straight = [name for by, name in tests if not by.startswith(STAND_IN)]
    untested = sum(not row.tests for row in told)
    drawn = [name for name in claims if name not in reread and not claim_text.exact(claims[name])]
    exact = [one for one in claims.values() if claim_text.exact(one) and not claim_text.missing(one["value"])]

    def words(names: Iterable[str], more: int = 0) -> str:
        return claim_text.counted([claim_text.answer(claims[name]) for name in names] + ["not tested"] * more)

    def share_open(some: list[Claim]) -> str:
        answers = [claim_text.answer(one) for one in some]
        return f"{sum(answer in ('unclear', 'not tested') for answer in answers)} of {len(answers):,}"

    counts = {
        "paper": words(straight, untested),
        "own table": words(reread),  # of these, those that only read the paper's own table again
        "stand-ins": words(stand_ins),  # of curves or of a network of ours in place of theirs
        "all": words(claims),
        "open": share_open([*claims.values(), *gone]),
        "open asked": share_open([*claims.values()]),
        "open retired": share_open(gone),
        "intervals": str(len(drawn)),
        "no interval": str(len(exact)),
        "false": str(math.ceil(len(drawn) / TAIL)),  # so many wrong answers are to be expected, at most
        "false with retired": str(
            math.ceil((len(drawn) + sum(one["low"] != one["high"] for one in gone)) / TAIL)
        ),
    }
    if of not in counts:
        raise UserError(f"There is no tally {of!r}; there are {', '.join(counts)}.")
    return counts[of]


# --------------------------------------------------------------------------------------------------- corrections of notes

CORRECTIONS = "reproduce/printed/corrections.csv"
TEST = re.compile(r"(tests/[\w/]+\.py)::(test_\w+)")
PAGE = re.compile(r"([\w/-]+\.(?:md|ipynb))(#[\w-]+)?")


def corrections_of(root: Path) -> dict[str, list[dict[str, str]]]:
    """{notes: their rows}. A row that names no test or page that exists is refused with its line."""
    notes: dict[str, list[dict[str, str]]] = {}
    for number, row in enumerate(lines_of(root / CORRECTIONS), 2):
        if problem := lacking(row, root):
            raise UserError(f"{CORRECTIONS}, line {number}: {problem}.")
        notes.setdefault(row["notes"], []).append(row)
    return notes


def lacking(row: dict[str, str], root: Path) -> str | None:
    """What is wrong with a row. Where a copy of the site has no tests, their names are taken on trust."""
    if None in row:
        return "it has more cells than the header: quote what holds a comma"
    if empty := [name for name, text in row.items() if not (text or "").strip()]:
        return f"{empty[0]} is empty"
    shown = row["shown"]
    if page := PAGE.fullmatch(shown):
        return None if (root / "docs" / page[1]).is_file() else f"there is no page docs/{page[1]}"
    if not (test := TEST.fullmatch(shown)):
        return f"{shown!r} names no test (tests/…/test_x.py::test_y) or page (slug.md)"
    file = root / test[1]
    there = file.is_file() and f"def {test[2]}(" in file.read_text(encoding="utf-8")
    return f"there is no {shown}" if (root / "tests").is_dir() and not there else None


def table_of_corrections(rows: list[dict[str, str]], link: Callable[[str, str], str]) -> str:
    """`link(slug, anchor)` leads to a page."""
    first, *middle = [column for column in rows[0] if column not in ("notes", "shown")]
    body = ""
    for row in rows:
        cells = [labelled(column.capitalize(), formula(row[column])) for column in middle]
        body += f'<tr><th scope="row">{blocks.cell(row[first])}</th>{"".join(cells)}'
        body += f"{labelled('Shown by', shown(row['shown'], link))}</tr>"
    header = [column.capitalize() for column in (first, *middle)]
    return verdicts.html_table([*header, "Shown by"], body, rows[0]["notes"], "cc-claims cc-paper")


def formula(text: str) -> str:
    """Plain text in which _x and ^x, or _{…} and ^{…}, are set below and above the line."""
    marks = {"_": "sub", "^": "sup"}
    return re.sub(r"([_^])(?:\{([^}]*)\}|([^\W_]+))",
                  lambda m: f"<{marks[m[1]]}>{m[2] or m[3]}</{marks[m[1]]}>", blocks.cell(text))  # fmt: skip


def shown(where: str, link: Callable[[str, str], str]) -> str:
    if test := TEST.fullmatch(where):
        return f'<code title="{html.escape(test[1])}">{test[2].replace("_", "_<wbr>")}</code>'
    file, _, anchor = where.partition("#")
    slug = file.rpartition(".")[0]
    return f'<a href="{link(slug, anchor).rstrip("#")}">{slug.rpartition("/")[2].replace("-", " ")}</a>'
