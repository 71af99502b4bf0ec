"""LaTeX to MathML while the site is built: no script, no network; a formula with an error stops the build.

A Python-Markdown extension that takes over what `pymdownx.arithmatex` (generic) has marked.
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
OTHER = re.compile(
    r"(<(?:pre|code|script|style|svg)\b.*?</(?:pre|code|script|style|svg)>|<[^>]*>)", re.DOTALL
)
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


class MathMLPostprocessor(Postprocessor):
    def run(self, text: str) -> str:
        """Set the formulas that arithmatex has marked."""
        return MARKED.sub(lambda m: convert(html.unescape(m[3]), display=m[2] == "["), text)


class MathMLExtension(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.postprocessors.register(MathMLPostprocessor(md), "mathml", -10)


def makeExtension(**settings: Any) -> MathMLExtension:
    return MathMLExtension(**settings)
