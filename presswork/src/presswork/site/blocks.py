"""The HTML of a figure and of a table: picture, caption that states the finding, and where it comes from."""

import html
import math
import re
from collections.abc import Callable, Sequence

from presswork import palette
from presswork.answers.answer import NOT_HERE, Answer, Table
from presswork.site import provenance
from presswork.site.provenance import Place

NUMBER = re.compile(
    r"^[<>≈~±+\-−]?\s*[\d.,]+(e[+\-−]?\d+)?\s*([%×]|[a-zµ]{1,3})?(\s*(±|\[|\(|to).*)?$|^[–—…-]?$"
)
READABLE = 6  # pixels: smaller letters cannot be read on a phone
PHONE = 364  # pixels that a figure has there, at the least: in a fold on a screen of 390
LETTERS = re.compile(rb"scale\(([\d.]+) -\1\)")
SHORT = 14  # letters: a longer head of a column may break, so that it is no wider than its cells
Links = dict[str, tuple[str, str]]  # {cell: (href, what it is)}
kept: dict[str, str] | None = None  # what stands aside, by the comment in its place; None: nothing does
ASIDE = re.compile(r"(<!--cc:\d+(?:-->|(:)-->))(?(2).*?<!--cc-->)", re.DOTALL)
STOPS = 6  # that a turn may have: answers.css names each
WAITING = "…"  # not measured yet: a row or column of nothing else is left out, the badge says what is missing


def aside(piece: str, read: str = "") -> str:
    """A piece of which neither Markdown nor the search need more than `read`: notebook.py puts it back in the end."""
    if kept is None:
        return piece
    place = f"<!--cc:{len(kept)}{':' * bool(read)}-->"
    kept[place] = piece
    return f"{place}{read}<!--cc-->" if read else place


def whole(page: str) -> str:
    """The same page with what stands aside in its place."""
    return ASIDE.sub(lambda place: (kept or {})[place[1]], page)


def block(number: str, anchor: str, caption: str, versions: list[tuple[Answer, str, str]], kind: str) -> str:
    """versions: (answer, what it shows, its row of links); two get a switch that works without a script.

    `markdown="span"` lets the caption hold emphasis and math; everything else is left alone by Markdown.
    """
    pick = switch(anchor, versions) if len(versions) > 1 else ""
    shown = "".join(f'<div class="cc-{a.origin}">{body}</div>' for a, body, _ in versions)
    rows = "".join(f'<div class="cc-{a.origin}">{links}</div>' for a, _, links in versions)
    return (
        f'\n<div class="cc-answer cc-{kind}" id="{anchor}" markdown="block">\n'
        f'<figure markdown="block">\n<div class="cc-body" markdown="0">{pick}{shown}</div>\n'
        f'<figcaption markdown="span"><span class="cc-number">{number}.</span> {caption}</figcaption>\n</figure>\n'
        f'<div class="cc-source" markdown="0">{aside(rows)}</div>\n</div>\n'
    )


def switch(anchor: str, versions: list[tuple[Answer, str, str]]) -> str:
    """Two radio buttons: published, made here."""
    buttons = ""
    for i, (answer, _, _) in enumerate(versions):
        text = "Published" if answer.origin == "published" else "Made here"
        pick = f'type="radio" name="{anchor}-pick" class="cc-pick-{answer.origin}"'
        buttons += f"<label><input {pick}{'' if i else ' checked'}> {text} ({answer.size})</label>"
    return f'<div class="cc-pick" role="radiogroup" aria-label="Which answer is shown">{buttons}</div>'


def figure(place: Place, answer: Answer, name: str, alt: str) -> str:
    light = answer.read(f"{name}.light.svg")
    return for_both(light, alt, lambda file, data: provenance.publish(place, answer, f"{name}.{file}", data))


def for_both(light: bytes, alt: str, publish: Callable[[str, Callable[[], bytes]], str]) -> str:
    """The drawing for light and for dark pages. Browsers never load the hidden one (lazy and not displayed)."""
    width, height = size_of(light)
    size = f'width="{width:.0f}" height="{height:.0f}"'
    drawings = ""
    for scheme, drawing in (("light", lambda: light), ("dark", lambda: palette.dark(light))):
        source = f'src="{publish(f"{scheme}.svg", drawing)}" alt="{html.escape(alt)}"'
        drawings += f'<img class="cc-only-{scheme}" {source} {size} loading="lazy">'
    return picture(drawings, light)


def picture(drawings: str, light: bytes) -> str:
    """On a phone a drawing whose letters would be too small is as wide as they need, and scrolls inside its own box."""
    least = math.ceil(READABLE * size_of(light)[0] / letters(light))
    named = 'tabindex="0" role="group" aria-label="A wide figure, scrolls sideways'
    wide = f' cc-wide" style="--cc-least: {least}px" {named}'
    return f'<div class="cc-picture{wide if least > PHONE else ""}">{aside(drawings)}</div>'


def letters(svg: bytes) -> float:
    """The size of the smallest letters of a drawing, in points: matplotlib scales outlines of a hundred points."""
    return min((100 * float(scale) for scale in LETTERS.findall(svg)), default=10)


def size_of(svg: bytes) -> tuple[float, float]:
    """Width and height in points, so that the page does not jump while pictures load."""
    box = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg[:4000])
    return (float(box[1]), float(box[2])) if box else (504.0, 259.0)


def table(
    table: Table, columns: list[str] | None = None, here: bool = False, links: Links | None = None
) -> str:
    """An HTML table that scrolls inside its own box on a narrow screen; one made here may lack columns, and says so."""
    wanted = table.header[1:] if columns is None else columns
    lacking = [name for name in wanted if here and name not in table.header]
    header = [*table.header[:1], *(name for name in wanted if name not in lacking)]
    places = [table.column(name) for name in header]  # by place: several rows may have the same name
    places = [i for i in places if not table.rows or any(row[i] != WAITING for row in table.rows)]
    picked = [[row[i] for i in places] for row in table.rows]
    picked = [row for row in picked if any(cell != WAITING for cell in row[1:])] or picked
    if here and not (len(header) > 1 and picked):
        return f'<p class="cc-made">{NOT_HERE.capitalize()}</p>'
    shown = html_table([table.header[i] for i in places], picked, f"Table {table.name}", links)
    names = html.escape(", ".join(lacking))
    return shown + (f'<p class="cc-made">{NOT_HERE.capitalize()}: {names}</p>' if lacking else "")


def html_table(header: list[str], rows: list[list[str]], label: str, links: Links | None = None) -> str:
    right = [i > 0 and all(NUMBER.match(row[i].strip("*")) for row in rows) for i in range(len(header))]
    wordy = [any(len(row[i]) > 30 for row in rows) for i in range(len(header))]
    kinds = ["cc-num" if r else "cc-long" if w else "" for r, w in zip(right, wordy, strict=True)]
    head = ""
    for title, kind in zip(header, kinds, strict=True):
        broken = f"cc-broken {kind}".strip() if len(title) > SHORT else kind
        head += f'<th scope="col"{of_class(broken)}>{named(title, links)}</th>'
    body = ""
    for name, *cells in rows:
        pairs = zip(cells, kinds[1:], strict=True)
        rest = "".join(f"<td{of_class(kind)}>{cell(text)}</td>" for text, kind in pairs)
        long = "cc-long" if len(name) > 18 else ""
        body += f'<tr><th scope="row"{of_class(long)}>{named(name, links)}</th>{rest}</tr>'
    inside = f'<table class="cc-table" data-search-exclude><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    return f'<div class="cc-scroll" tabindex="0" role="group" aria-label="{html.escape(label)}">{aside(inside)}</div>'


def of_class(name: str) -> str:
    return f' class="{name}"' if name else ""


def named(text: str, links: Links | None) -> str:
    """A cell that names something leads to where it is explained, and says what it is when it is pointed at."""
    if not links or text not in links:
        return cell(text)
    href, words = links[text]
    return f'<a class="cc-name" href="{href}" title="{html.escape(words)}">{cell(text)}</a>'


def cell(text: str) -> str:
    """A cell is plain text; **so** marks the best of a column, and the error after ± is set smaller."""
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", html.escape(minus(text)))
    return re.sub(r" (± [\d.,]+)", r' <span class="cc-error">\1</span>', bold)


def minus(text: str) -> str:
    """A hyphen before a number is meant as a minus sign; a number and its percent sign stay on one line."""
    return re.sub(r"(?<=\d) %", "\u00a0%", re.sub(r"(?<![\w.])-(?=\.?\d)", "−", text))


def inline(text: str) -> str:
    """Plain text for inside a paragraph: Markdown must not read it."""
    return re.sub(r"[_*`\[\]|\\$]", lambda m: f"&#{ord(m[0])};", html.escape(text))


def card(shown: str, facts: dict[str, str], href: str | None = None, kind: str = "cc-val") -> str:
    """Something in a sentence with a card behind it, on hover, on focus and on tap."""
    # on each line: what the search leaves out ends, for it, where the first span inside ends
    lines = "".join(f"<span data-search-exclude><b>{k}</b> {inline(v)}</span>" for k, v in facts.items() if v)
    inside = aside(f'<span class="cc-card" role="tooltip">{lines}</span>')
    tag, link = ("a", f' href="{href}"') if href else ("span", ' tabindex="0"')
    return f'<{tag} class="{kind}"{link}>{shown}{inside}</{tag}>'


def turn(chosen: str, stops: Sequence[str]) -> str:
    """A choice that the style sheet alone obeys. Where it cannot, on paper and for the search the first stop is text."""
    options = "".join(f"<option>{html.escape(stop)}</option>" for stop in stops)
    select = f'<select aria-label="{html.escape(chosen)}" autocomplete="off">{options}</select>'
    return f'<span class="cc-turn"><span>{inline(stops[0])}</span>{aside(select)}</span>'


def turned(shown: Sequence[str]) -> str:
    """What each stop shows, of which the page shows one; where one shows nothing, the others bring the space before them."""
    space = " " if "" in shown else ""
    first, *others = (f"<span>{space}{one}</span>" if one else "<span></span>" for one in shown)
    return f'<span class="cc-turned">{first}{aside(whole("".join(others)))}</span>'
