"""A Markdown extension: a term of the glossary is marked where a section first uses it in its text, and not again below.

A marked term shows its words when it is pointed at or tapped. The keyboard stops at the first of a page alone: a stop in
each section would be too many. Headings, links and numbers with a card are marked enough, or have the focus themselves.
"""

import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor

TERM = r'<abbr title="([^"]*)">(.*?)</abbr>'
PIECES = re.compile(
    rf'<(h[1-6]|a|summary)\b.*?</\1>|<span class="cc-val.*?</span></span></span>|{TERM}', re.DOTALL
)


class FirstUses(Postprocessor):
    def run(self, text: str) -> str:
        marked: set[str] = set()
        stops: set[str] = set()

        def once(piece: re.Match[str]) -> str:
            _, words, term = piece.groups()
            if words is None:
                if piece[1] == "h2":
                    marked.clear()
                return re.sub(TERM, r"\2", piece[0])
            if words in marked:
                return str(term)
            stop = -1 if words in stops else 0
            marked.add(words)
            stops.add(words)
            return f'<abbr tabindex="{stop}" title="{words}">{term}</abbr>'

        return PIECES.sub(once, text)


class Extended(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(FirstUses(md), "first_uses", 5)  # when raw HTML, which has 30, is there


def makeExtension(**_: Any) -> Extended:
    return Extended()
