"""Words of the glossary that show a picture of themselves in their card: a piece of a drawing that the site has already.

docs/pictures.txt says which: `word; word = drawing left top width height | what it shows`. A drawing is question/figure, or
the nth of a notebook as notebooks/name-n. The four numbers, in points of the drawing, are the piece.
"""

import html
import re
from pathlib import Path

from mkdocs.exceptions import BuildError

from presswork.answers.answer import Answers
from presswork.ground.blog import BLOG
from presswork.site import blocks, provenance
from presswork.site.provenance import Place

AS_IN = "word = drawing left top width height | what it shows"
LINE = re.compile(r"(.+?) = (\S+)/(\S+) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) \| (.+)")
WORD = re.compile(r'<abbr tabindex="(-1|0)" title="([^"]*)">(.*?)</abbr>')  # as extension.FirstUses marks it
# {word: (drawing, piece, what it shows)}, anew for each build
known: dict[str, tuple[str, list[str], str]] = {}


def read(docs: Path) -> None:
    known.clear()
    lines, terms = (text(docs / f"{name}.txt") for name in ("pictures", "glossary"))
    for line in re.findall(r"^[^#\n].*", lines, re.MULTILINE):
        if not (parts := LINE.fullmatch(line)):
            raise BuildError(f"docs/pictures.txt, {line!r}: write {AS_IN}.")
        words, question, name, *piece, alt = parts.groups()
        answers = Answers(BLOG.root).find(question)  # none of “notebooks”
        folder = provenance.folder(answers[0]) if answers else f"answers/{question}"
        known.update(dict.fromkeys(words.split("; "), (f"{folder}/{name}", piece, alt)))
    if lost := [word for word in known if f"*[{word}]:" not in terms]:
        raise BuildError(f"docs/pictures.txt: docs/glossary.txt does not have {', '.join(lost)}.")


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def none_missing(site: Path) -> None:
    """When all pages have put their drawings into the site."""
    if lost := {file for file, *_ in known.values() if not (site / f"{file}.light.svg").is_file()}:
        raise BuildError(f"docs/pictures.txt: no page shows {', '.join(sorted(lost))}.")


def in_page(content: str, place: Place) -> str:
    """The same page, where a marked word that has a picture has a card, as numbers have, instead of a title."""

    def shown(word: re.Match[str]) -> str:
        stop, words, term = word.groups()
        if html.unescape(term) not in known:
            return word[0]
        file, piece, alt = known[html.unescape(term)]
        part = f"#svgView(viewBox({','.join(piece)}))"
        more = 'alt="{0}" style="width: {3}px; aspect-ratio: {3} / {4}"'.format(html.escape(alt), *piece)
        for scheme in ("light", "dark"):
            source = place.link(f"{file}.{scheme}.svg") + part
            words += f'<img class="cc-only-{scheme}" src="{source}" {more} loading="lazy">'
        card = blocks.aside(f'<span class="cc-card" role="tooltip">{words}</span>')
        return f'<span class="cc-val cc-term" tabindex="{stop}">{term}{card}</span>'

    return WORD.sub(shown, content)
