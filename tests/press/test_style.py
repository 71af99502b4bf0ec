"""Guards reproduce/_press/style.py: a figure is what its scheme says, and every colour can be seen."""

import matplotlib.pyplot as plt
import pytest

from reproduce._press import style


def draw() -> bytes:
    figure, axes = plt.subplots()
    axes.plot([1, 2, 3], [3, 1, 2], **style.line("ours"))
    axes.set_title("A title")
    return style.svg(figure)


def test_settings_from_outside_do_not_reach_a_figure():
    """What a user set in matplotlib has no effect inside a scheme."""
    with style.scheme("light"):
        before = draw()
    with plt.rc_context({"lines.linewidth": 9, "font.size": 30}), style.scheme("light"):
        assert draw() == before


def test_light_and_dark_differ_and_leave_no_trace():
    """Each scheme has its colours; afterwards everything is as before."""
    settings = dict(plt.rcParams)
    with style.scheme("light"):
        light, ink = draw(), style.ink()
    with style.scheme("dark"):
        dark = draw()
        assert style.ink() != ink
    assert light != dark
    assert dict(plt.rcParams) == settings


def test_the_background_is_transparent_and_text_is_outlined():
    """The page shows through, and no font is needed."""
    with style.scheme("light"):
        text = draw().decode()
    assert "<text" not in text and "#ffffff" not in text and "<dc:date>" not in text


def test_places_are_rounded_and_nothing_else_is():
    """Paths, points and translations to a hundredth of a point; sizes, scales, dashes, colours and names stay."""
    before = (
        '<path id="m0.123456" d="M 1.005999 -0.001 \nL 20 3.14159 z" transform="translate(1.23456 0.5) scale(0.015625)" '
        'style="stroke-dasharray: 2.775,1.665; stroke-width: 0.123456"/><use x="7.777777" y="-7.999" width="1.23456"/>'
    )
    after = (
        '<path id="m0.123456" d="M 1.01 0 \nL 20 3.14 z" transform="translate(1.23 0.5) scale(0.015625)" '
        'style="stroke-dasharray: 2.775,1.665; stroke-width: 0.123456"/><use x="7.78" y="-8" width="1.23456"/>'
    )
    assert style.rounded(before) == after


def test_an_unknown_scheme_is_an_error():
    """There are two."""
    with pytest.raises(ValueError, match="neither"), style.scheme("sepia"):
        pass


def contrast(one: str, other: str) -> float:
    """As WCAG has it."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("scheme", "page"), [("light", "#ffffff"), ("dark", "#1e2129")])
@pytest.mark.parametrize("method", list(style.METHODS))
def test_every_method_can_be_seen_on_its_page(method, scheme, page):
    """Lines stand at least 3 : 1 against the page, as WCAG asks of graphics."""
    with style.scheme(scheme):
        assert contrast(style.colour(method), page) >= 3


@pytest.mark.parametrize("column", [1, 2])
def test_no_two_methods_share_a_colour(column):
    """One colour, one method (the middle model is ours)."""
    colours = [entry[column] for name, entry in style.METHODS.items() if name != "medium"]
    assert len(set(colours)) == len(colours)
