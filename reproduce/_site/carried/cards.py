"""The picture that a link to a page shows elsewhere: the first figure of the page, as a PNG of 1200 × 630.

Made only where the site has an address, since such a picture is named by its whole address, and kept by content.
"""

import base64
import hashlib
import json
import re
from pathlib import Path

from reproduce._press.answers.answer import Answers
from reproduce._site.blocks import size_of
from reproduce._site.carried.cited import shown

WIDTH, HEIGHT, MARGIN = 1200, 630, 40  # as https://ogp.me readers expect them
PAPER = "#fffefc"
DRAWN = re.compile(r'src="data:image/svg\+xml;base64,([^"]*)"')


def first_figures(docs: Path, answers: Answers) -> dict[str, bytes]:
    """The drawing that each page shows first, {"how-fast.md": svg}; pages without one are left out."""
    found = {}
    for page, named in shown(docs, "fig", "live").items():
        for _, name in named[:1]:
            question, figure = name.split("/")
            found[page] = answers.of(question)[0].read(f"{figure}.light.svg")
    for path in sorted(docs.rglob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        outputs = [
            output.get("data", {}).get("text/html", "")
            for cell in cells
            for output in cell.get("outputs", [])
        ]
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
