"""Guards reproduce/_press/palette.py: the dark drawing is the light one in other colours, and no colour is left over."""

import re
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from reproduce._press import palette, style

ROOT = Path(__file__).resolve().parents[2]


def drawn(scheme: str) -> bytes:
    """Lines and areas in every colour there is, text and a grid."""
    with style.scheme(scheme):
        figure, axes = plt.subplots()
        for place, method in enumerate(palette.METHODS):
            axes.plot([0, 1], [place, place], **style.line(method))
            axes.fill_between([0, 1], place, place + 0.5, color=style.colour(method), alpha=0.3)
        axes.axhline(0, color=style.faint())
        axes.set_title("A title", color=style.ink())
        return style.svg(figure)


def nameless(drawing: bytes) -> str:
    """matplotlib names a marker by its shape and its colour; nobody sees the name."""
    return re.sub(r"\bm[0-9a-f]{10}\b", "marker", drawing.decode())


def test_each_light_colour_becomes_its_dark_one():
    """What the site makes of the light drawing is what drawing for a dark page gives."""
    assert nameless(palette.dark(drawn("light"))) == nameless(drawn("dark"))
    for _, light, dark, _ in palette.METHODS.values():
        assert palette.dark(light.encode()) == dark.encode()


@pytest.mark.parametrize("call", ["plot", "fill", "text"])
@pytest.mark.parametrize(
    ("colour", "told"), [("#123456", "#123456"), ("black", "black"), ("white", "#ffffff")]
)
def test_any_other_colour_is_told(call, colour, told):
    """Also black, of which SVG says nothing in text and areas."""
    with style.scheme("light"):
        figure, axes = plt.subplots()
        arguments = (0, 0, "words") if call == "text" else ([0, 1, 1], [0, 1, 0])
        getattr(axes, call)(*arguments, color=colour, linewidth=0) if call == "fill" else getattr(axes, call)(
            *arguments, color=colour
        )
        found = palette.unknown_colours(style.svg(figure))
    assert found == ["#000000" if (call, colour) == ("plot", "black") else told]


@pytest.mark.parametrize(
    "path", sorted((ROOT / "figures").glob("*/*/*.svg")), ids=lambda path: "/".join(path.parts[-3:])
)
def test_every_committed_drawing_is_a_light_one_that_can_be_made_dark(path):
    """Nothing is drawn twice."""
    assert path.name.endswith(".light.svg")
    assert palette.unknown_colours(path.read_bytes()) == []
