"""An extension of Python-Markdown: LaTeX to MathML while the site is built, and the first uses of terms.

No script, no network; a formula with an error stops the build. It takes over what `pymdownx.arithmatex` (generic) and `abbr`
have marked.
"""

import html
import re
from typing import Any

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from math_core import LatexError, LatexToMathML
from mkdocs.exceptions import BuildError

MARKED = re.compile(r'<(span|div) class="arithmatex">\s*\\([(\[])(.*?)\\[)\]]\s*</\1>', re.DOTALL)
DOLLARS = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![\d$])", re.DOTALL)
OTHER = re.compile(r"(<(?:pre|code|script|style|svg)\b.*?</(?:pre|code|script|style|svg)>|<[^>]*>)", re.S)
CONVERTER = LatexToMathML(annotation=False, fancy_error=False)


class FormulaError(BuildError):
    """A formula that cannot be set. As an error of the build it is said in one sentence, with its page."""


def convert(latex: str, display: bool) -> str:
    try:
        mathml = CONVERTER.convert_with_local_state(latex.strip(), displaystyle=display)
    except LatexError as error:
        raise FormulaError(f"The formula {latex.strip()!r} cannot be set: {error}") from None
    block = f'<span class="cc-math" tabindex="0" role="group" aria-label="Formula">{mathml}</span>'
    return block if display else mathml


def in_prose(text: str) -> str:
    """Sets $…$ and $$…$$ in HTML that has not gone through arithmatex (notebook pages), outside code."""
    pieces = OTHER.split(text)
    for i in range(0, len(pieces), 2):
        pieces[i] = DOLLARS.sub(lambda m: convert(html.unescape(m[1] or m[2]), display=bool(m[1])), pieces[i])
    return "".join(pieces)


class Formulas(Postprocessor):
    def run(self, text: str) -> str:
        """Set the formulas that arithmatex has marked."""
        return MARKED.sub(lambda m: convert(html.unescape(m[3]), display=m[2] == "["), text)


# ------------------------------------------------------------------------------------------------ first uses of a term

TERM = r'<abbr title="([^"]*)">(.*?)</abbr>'
CARD = '<span class="cc-val.*?(?:</span></span>|-->)</span>'
PIECES = re.compile(rf"<(h[1-6]|a|summary)\b.*?</\1>|{CARD}|{TERM}", re.DOTALL)


class FirstUses(Postprocessor):
    """A term of the glossary is marked where a section first uses it in its text, and not again below.

    The keyboard stops at the first of a page alone. Headings, links and numbers with a card have the focus themselves.
    """

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


class OfPages(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(FirstUses(md), "first_uses", 5)  # when raw HTML, which has 30, is there
        md.postprocessors.register(Formulas(md), "mathml", -10)


def makeExtension(**settings: Any) -> OfPages:
    return OfPages(**settings)
