"""How a page is cited: authors and version from CITATION.cff, and the date of the newest answer that the page shows.

A page that shows none has the date of the newest entry of NOTEBOOK.md. Neither asks git, which knows one commit on most hosts
that build a site, nor the clock. The entries of the notebook are the site's feed.
"""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from datetime import date, datetime
from pathlib import Path
from typing import Any

from mkdocs.utils.yaml import yaml_load

from presswork.answers.answer import Answers
from presswork.ground.blog import BLOG
from presswork.site.blocks import size_of
from presswork.site.pages import calls_on

# macros whose first argument is 'question/name'
SHOWING = ("fig", "table", "val", "found", "shows", *BLOG.shown_by)
# a heading that begins with a day
ENTRY = re.compile(r"^## ((\d+ [A-Z][a-z]+ \d{4}).*)\n\s*(.*)", re.MULTILINE)


def shown(docs: Path, macros: Iterable[str] = SHOWING) -> dict[str, list[tuple[str, str]]]:
    """What each page shows, in its order: {"how-fast.md": [("fig", "speed/main"), …]}."""
    found = {}
    for path in sorted(docs.glob("*.md")):
        calls = calls_on(path, path.read_text(encoding="utf-8"))
        found[path.name] = [(macro, str(named[0])) for macro, named in calls if macro in macros and named]
    return found


def citation(root: Path, docs: Path, answers: Answers) -> dict[str, Any]:
    """What the foot of a page and the feed need; nothing in a copy without CITATION.cff or entries of a notebook."""
    notebook = root / "NOTEBOOK.md"
    found = ENTRY.findall(notebook.read_text(encoding="utf-8")) if notebook.is_file() else []
    if not (found and (root / "CITATION.cff").is_file()):
        return {}
    entries = [(datetime.strptime(day, "%d %B %Y").date(), title, text) for title, day, text in found]
    about = yaml_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    newest = max(day for day, *_ in entries)
    dates = {}
    for page, named in shown(docs).items():
        used = [answer for _, name in named for answer in answers.find(name.split("/")[0])]
        made = [receipt["made"] for answer in used for receipt in answer.receipts if receipt.get("made")]
        dates[page] = max((date.fromisoformat(day[:10]) for day in made), default=newest)
    authors = [one.get("name") or f"{one['given-names']} {one['family-names']}" for one in about["authors"]]
    about = {"authors": authors, "version": about["version"], "entries": entries}
    return about | {"dates": dates, "newest": newest}


# ----------------------------------------------------------------------------------------------- the picture of a link

WIDTH, HEIGHT, MARGIN = 1200, 630, 40  # as https://ogp.me readers expect them
PAPER = "#fffefc"
DRAWN = re.compile(r'src="data:image/svg\+xml;base64,([^"]*)"')


def first_figures(docs: Path, answers: Answers) -> dict[str, bytes]:
    """The drawing that each page shows first, {"how-fast.md": svg}; pages without one are left out."""
    found = {}
    for page, named in shown(docs, ("fig", *BLOG.shown_by)).items():
        for _, name in named[:1]:
            question, figure = name.split("/")
            found[page] = answers.of(question)[0].read(f"{figure}.light.svg")
    for path in sorted(docs.rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        data = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
        outputs = [one.get("text/html", "") for one in data]
        if drawings := [drawn[1] for html in outputs for drawn in DRAWN.finditer("".join(html))]:
            found[path.relative_to(docs).as_posix()] = base64.b64decode(drawings[0])
    return found


def card(svg: bytes, kept: Path) -> bytes:
    """The picture of a drawing, from `kept` if it was made before."""
    width, height = (side * 4 / 3 for side in size_of(svg))  # points as pixels
    scale = min((WIDTH - 2 * MARGIN) / width, (HEIGHT - 2 * MARGIN) / height)
    left, top = (WIDTH - scale * width) / 2, (HEIGHT - scale * height) / 2
    drawing = svg.decode("utf-8")
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}">'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="{PAPER}"/>'
        f'<g transform="translate({left:.2f} {top:.2f}) scale({scale:.5f})">{drawing[drawing.index("<svg") :]}</g></svg>'
    )
    file = kept / f"{hashlib.sha256(whole.encode()).hexdigest()}.png"
    if not file.is_file():
        import resvg_py  # a site without an address does without it

        kept.mkdir(parents=True, exist_ok=True)
        with open(file, "wb") as out:
            out.write(bytes(resvg_py.svg_to_bytes(svg_string=whole, skip_system_fonts=True, dpi=96)))
    return file.read_bytes()
