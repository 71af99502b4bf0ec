"""The marks in sentences: shows('question/claim', 'yes') says for which answer the sentence was written.

A sentence whose published answer is another one is out of date. Standard library only.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

MARK = re.compile(r"\{\{-?\s*shows\(\s*['\"]([^'\"]+)['\"]\s*,\s*['\"]([^'\"]+)['\"]")


class Mark(NamedTuple):
    page: str  # docs/new-data.md
    line: int
    claim: str  # question/claim
    answer: str  # for which the sentence was written

    def contradicts(self, published: str) -> str:
        return (
            f"line {self.line}: this sentence was written for the answer {self.answer!r} to {self.claim}, and the "
            f"published answer is {published!r}. Rewrite the sentence, then change its mark."
        )


def marks(docs: Path) -> Iterator[Mark]:
    for path in sorted(docs.rglob("*.md")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            for claim, answer in MARK.findall(line):
                yield Mark(f"docs/{path.relative_to(docs).as_posix()}", number, claim, answer)


def contradicted(docs: Path, published: Callable[[str], str | None]) -> list[str]:
    """A line a sentence whose claim is published with another answer. `published` knows it, or None."""
    answers = ((mark, published(mark.claim)) for mark in marks(docs))
    return [
        f"{mark.page}: {mark.contradicts(answer)}"
        for mark, answer in answers
        if answer not in (None, mark.answer)
    ]
