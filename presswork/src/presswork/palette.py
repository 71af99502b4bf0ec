"""The colours of every figure, on light and on dark pages.

A figure is drawn once, in light. The site makes the dark drawing from it, colour by colour, so a figure may use only the
colours of methods, of text and of the grid. The hues are those of Okabe and Ito, which people with any colour vision can
tell apart, darkened for light pages and lightened for dark ones to a contrast of at least 3 : 1.
"""

import functools
import re
from collections.abc import Iterator
from xml.etree import ElementTree

from presswork.ground.blog import BLOG

INK = {"light": "#24292f", "dark": "#e6e6e6"}  # text and axes
FAINT = {"light": "#c8ccd0", "dark": "#4b5158"}  # grid

# those of a blog that names no methods
METHODS = {
    "first": ("first", "#0072b2", "#56b4e9", "-"),
    "second": ("second", "#c1500f", "#f08a4b", "--"),
    "third": ("third", "#007a59", "#2bc79b", "-."),
    "fourth": ("fourth", "#b3478a", "#e39cc5", ":"),
}
COLOUR = re.compile(r"#[0-9a-f]{6}\b")


def methods() -> dict[str, tuple[str, str, str, str]]:
    """{method: (its printed name, colour on a light page, colour on a dark page, dashes)}, as the blog has them."""
    return BLOG.plugin.methods or METHODS


@functools.cache
def on_dark() -> dict[str, str]:
    """{colour on a light page: on a dark one}"""
    pairs = {light: dark for _, light, dark, _ in methods().values()}
    return pairs | {INK["light"]: INK["dark"], FAINT["light"]: FAINT["dark"]}


def dark(light: bytes) -> bytes:
    return COLOUR.sub(lambda match: on_dark().get(match[0], match[0]), light.decode()).encode()


def unknown_colours(light: bytes) -> list[str]:
    """The colours of a drawing that are not listed here and so would not change on a dark page."""
    text = light.decode()
    unknown = set(COLOUR.findall(text)) - set(on_dark())
    return sorted(unknown) + ["black"] * any(_black(ElementTree.fromstring(text), filled=False))


def _black(element: ElementTree.Element, filled: bool) -> Iterator[bool]:
    """For each shape: is it filled although nothing says with what? SVG takes black then."""
    kind = element.tag.rpartition("}")[2]
    if kind in ("defs", "metadata"):
        return  # drawn only where something uses them
    style = element.get("style", "")
    filled = filled or "fill" in element.attrib or "fill:" in style or "fill-opacity: 0" in style
    if kind in ("path", "use", "rect", "circle", "polygon"):
        yield not filled
    for child in element:
        yield from _black(child, filled)
