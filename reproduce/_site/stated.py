"""The macros that state claims: one in a sentence, tables of ours and of the paper's, and how many hold."""

from __future__ import annotations

from reproduce._press import claim_text
from reproduce._press.answers import marks
from reproduce._press.answers.answer import Answer, MissingAnswer
from reproduce._press.claim_text import Claim
from reproduce._site import blocks, paper, provenance, source, tally, verdicts
from reproduce._site.here import Here, split
from reproduce._site.pages import PageError


class Stated(Here):
    def claim(self, name: str, show: str = "sentence") -> str:
        """A claim: its sentence with number and verdict; or show='value' or show='verdict' alone."""
        claim, answer = self._claim(name, "claim")
        if show == "verdict":
            return verdicts.badge(claim)
        text = claim_text.value(claim) if show == "value" else claim_text.sentence(claim)
        if "asks" in claim and show == "sentence":  # until the last page that says claim() has been rewritten
            text += f" {claim_text.found(claim)}"
        facts = verdicts.facts(claim, provenance.made_how(answer))
        carded = blocks.card(blocks.inline(text), facts, kind="cc-val cc-claim")
        return carded if show == "value" else f"{carded} {verdicts.badge(claim)}"

    def found(self, name: str, interval: bool = False) -> str:
        """What was found, with its unit; interval=True: and its 95 % interval."""
        claim, answer = self._claim(name, "found")
        text = claim_text.value(claim) if interval else claim_text.found(claim)
        return blocks.card(blocks.inline(text), verdicts.facts(claim, provenance.made_how(answer)))

    def shows(self, name: str, answer: str) -> str:
        """A mark with the card of the claim. `answer` is the one for which the sentence was written."""
        claim, published = self._claim(name, "shows")
        if answer not in marks.ANSWERS:
            raise PageError(f"shows('{name}', '{answer}'): an answer is {', '.join(marks.ANSWERS)}.")
        if "asks" not in claim:
            raise PageError(f"shows('{name}', …): this claim asks no question yet; use claim('{name}').")
        if (now := claim_text.verdict(claim)) != answer and published.origin == "published":
            page = f"docs/{self.env.page.file.src_path}"
            written = (
                mark.line
                for mark in marks.marks(self.root / "docs")
                if mark[0] == page and mark[2:] == (name, answer)
            )
            line = next(written, 0)
            raise PageError(marks.Mark(self.slug, line, name, answer).contradicts(now))
        here = self.answers.of(name.partition("/")[0])[-1].claims.get(claim["name"])
        facts = verdicts.facts(claim, provenance.made_how(published))
        return blocks.card(verdicts.mark(claim, here), facts, kind="cc-val cc-shows")

    def claims(self, *questions: str, printed: bool = False) -> str:
        """The table of all claims, or of the named questions; printed=True: where a paper prints a number."""
        wanted = questions or self.questions()
        rows = {q: self._rows(q, printed) for q in wanted}
        titles = {q: source.title(self.root, q) for q in wanted} if len(wanted) > 1 else {}
        return verdicts.table(rows, titles, self.link_to_words())

    def paper_claims(self) -> str:
        """What the paper claims, and what the claims of ours say that test it."""
        rows = []
        for row in paper.read(self.root):
            tests = [paper.Test(by, judged, *self._shown(name)) for by, judged, name in row.tests]
            rows.append((row, tests))
        return paper.table(rows, self.link_to_words())

    def vocabulary(self) -> str:
        """What the verdicts mean; one page says it."""
        return verdicts.vocabulary()

    def tally(self, of: str) -> str:
        """How many hold, fail, are open and were not tested: of 'paper', 'own table', 'stand-ins' or 'ours'."""
        told = paper.read(self.root)
        claims = {
            f"{q}/{name}": claim
            for q in self.questions()
            for name, claim in self.answers.of(q)[0].claims.items()
        }
        claims |= {
            name: self._claim(name, "tally")[0] for row in told for *_, name in row.tests
        }  # each must be there
        return tally.tally(of, told, claims)

    def _rows(self, question: str, printed: bool) -> list[verdicts.Row]:
        shown = self.answers.of(question)
        here, published = shown[-1], shown[0]
        rows = []
        for name in {**published.claims, **here.claims}:  # a run that goes on here has not measured all
            claim, size = (
                (here.claims[name], here.size)
                if name in here.claims
                else (published.claims[name], published.size)
            )
            if not printed or not claim_text.missing(claim.get("printed")):
                rows.append((claim, published.claims.get(name), size, self.link_to_question(question)))
        return rows

    def _claim(self, name: str, macro: str) -> tuple[Claim, Answer]:
        question, claim_name = split(name, macro)
        answer = self.answers.of(question)[0]
        if claim_name not in answer.claims:
            known = ", ".join(answer.claims) or "none"
            raise MissingAnswer(
                f"{question} at {answer.scale} scale makes no claim {claim_name!r}; its claims: {known}."
            )
        return answer.claims[claim_name], answer

    def _shown(self, name: str) -> tuple[Claim, str, str]:
        claim, answer = self._claim(name, "paper_claims")
        return claim, answer.size, self.link_to_question(name.split("/")[0])
