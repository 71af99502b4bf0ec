"""One colour and one name for each method in every figure; the same bytes every time.

    with looks():                              # the runner does this; palette.py makes the dark drawing from the light one
        figure, axes = plt.subplots()
        axes.plot(x, y, **line("ours"))        # colour and label of the method; ink() is the colour of text

The colours stand in palette.py, or in the `methods` of the blog's plugin. The background is transparent.
"""

import base64
import html
import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from presswork.ground.blog import BLOG
from presswork.ground.errors import known

matplotlib.use("Agg")  # draws into files; needs no display

import matplotlib.pyplot as plt  # after the choice of the backend

from presswork.palette import FAINT, INK, methods


def name(method: str) -> str:
    """How a method is called in figures, tables and prose."""
    return methods()[known("method", method, methods())][0]


def colour(method: str) -> str:
    return methods()[known("method", method, methods())][1]


def line(method: str, **more: Any) -> dict[str, Any]:
    """Keywords for `axes.plot`: the colour, dashes and name of a method."""
    return {"color": colour(method), "label": name(method), "linestyle": methods()[method][3]} | more


def ink() -> str:
    return INK["light"]


def faint() -> str:
    return FAINT["light"]


@contextmanager
def looks() -> Iterator[None]:
    """How every figure is drawn for light pages, whatever is set outside."""
    with plt.style.context("default"), plt.rc_context(_settings()):
        yield


def svg(figure: Figure) -> bytes:
    """The figure as SVG: the same bytes for the same figure. Closes it."""
    buffer = io.BytesIO()
    settings: Any = {
        "svg.hashsalt": BLOG.name,  # else each run names its clip paths anew
        "svg.fonttype": "path",  # text as outlines: looks the same where the font is missing
        "figure.constrained_layout.use": False,
    }
    with plt.rc_context(settings):
        if layout := figure.get_layout_engine():  # for its sake savefig would draw everything twice
            FigureCanvasSVG(figure)  # in whose letters room is made
            figure.dpi = FigureCanvasSVG.fixed_dpi
            layout.execute(figure)
            figure.set_layout_engine(None)
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    return compact(buffer.getvalue().decode()).encode()


# attributes with coordinates; sizes, dashes and scales are left alone
PLACES = re.compile(r'(\s(?:d|x|y|points)="|\btranslate\()[^")]*')
LONG = re.compile(r"-?\d+\.\d{3,}")
OUTLINE = re.compile(r'(?<= d=")[^"]*')
GLYPH = re.compile(r'(<use [^>]*?)transform="translate\((\S+) 0\)"')
MARKERS = r'(?:<use [^>]*?( style="[^"]*")/>\n)(?:<use [^>]*?\3/>\n)*'
ALIKE = re.compile(rf'<g((?: [\w-]+="[^"]*")*)>\n({MARKERS})</g>')


def compact(drawing: str) -> str:
    """The same picture in two thirds of the bytes: matplotlib writes six digits, indents, and styles each marker."""
    drawing = PLACES.sub(lambda places: LONG.sub(_short, places[0]), drawing)
    drawing = re.sub(r"\n\s+", "\n", re.sub(r' id="\w+_\d+"(?=>)', "", drawing)).replace("xlink:href", "href")
    drawing = OUTLINE.sub(lambda outline: re.sub(r"\s*([A-Za-z])\s*", r"\1", outline[0]), drawing)
    return ALIKE.sub(_styled_once, GLYPH.sub(r'\1x="\2"', drawing))


def _styled_once(group: re.Match[str]) -> str:
    """Markers of one style; an opacity is left where it is, since of a group it is another."""
    attributes, markers, style = group.groups()
    if " style=" in attributes or re.search(r'[" ]opacity', style):
        return group[0]
    return f"<g{attributes}{style}>\n{markers.replace(style, '')}</g>"


def _short(number: re.Match[str]) -> str:
    short = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _settings() -> Any:  # matplotlib's type of its settings has 300 lines
    settings = {
        "font.family": "DejaVu Sans",  # comes with matplotlib
        "font.size": 10,
        "figure.figsize": (7.0, 3.6),
        "figure.constrained_layout.use": True,
        "axes.titlesize": 10,
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": faint(),
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.8,
        "legend.frameon": False,
        "path.simplify": True,
    }
    settings |= dict.fromkeys(("figure.facecolor", "axes.facecolor", "savefig.facecolor"), "none")
    inked = "text.color axes.labelcolor axes.titlecolor axes.edgecolor xtick.color ytick.color"
    return settings | dict.fromkeys([*inked.split(), "legend.labelcolor"], ink())


# -----------------------------------------------------------------------------------------------------------
# A picture with its caption in a notebook page, drawn for light pages; the site makes the dark one from it.


def show(draw: Callable[[], Figure], alt: str, caption: str) -> Any:
    from IPython.display import HTML  # where there is a notebook

    with looks():
        source = f"data:image/svg+xml;base64,{base64.b64encode(svg(draw())).decode()}"
    picture = f'<img alt="{html.escape(alt)}" class="cc-drawn" src="{source}">'
    return HTML(f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>")
