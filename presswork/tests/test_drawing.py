"""Guards how figures are drawn: every colour can be seen, and the dark drawing is the light one in other colours."""

import re
import shutil
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from toys import contents, note, noted

from presswork import palette, style
from presswork.site import notebook
from presswork.site.provenance import Place

ROOT = Path(__file__).resolve().parents[2]
PAGES = {"light": "#ffffff", "dark": "#1e2129"}


def drawn() -> bytes:
    """Lines and areas in every colour there is, text and a grid."""
    with style.looks():
        figure, axes = plt.subplots()
        for place, method in enumerate(palette.methods()):
            axes.plot([0, 1], [place, place], **style.line(method))
            axes.fill_between([0, 1], place, place + 0.5, color=style.colour(method), alpha=0.3)
        axes.axhline(0, color=style.faint())
        axes.set_title("A title", color=style.ink())
        return style.svg(figure)


def test_settings_from_outside_do_not_reach_a_figure_nor_its_own_the_outside():
    """The page shows through, and no font is needed."""
    settings = dict(plt.rcParams)
    before = drawn()
    assert dict(plt.rcParams) == settings
    with plt.rc_context({"lines.linewidth": 9, "font.size": 30}):
        assert drawn() == before
    assert b"<text" not in before and b"#ffffff" not in before and b"<dc:date>" not in before


def test_each_light_colour_becomes_its_dark_one():
    light, dark = (
        set(palette.COLOUR.findall(drawing.decode())) for drawing in (drawn(), palette.dark(drawn()))
    )
    assert light == set(palette.on_dark()) and dark == set(palette.on_dark().values())


@pytest.mark.parametrize("call", ["plot", "fill", "text"])
@pytest.mark.parametrize(
    ("colour", "told"), [("#123456", "#123456"), ("black", "black"), ("white", "#ffffff")]
)
def test_any_other_colour_is_told(call, colour, told):
    """Also black, of which SVG says nothing in text and areas."""
    with style.looks():
        figure, axes = plt.subplots()
        arguments = (0, 0, "words") if call == "text" else ([0, 1, 1], [0, 1, 0])
        more = {"linewidth": 0} if call == "fill" else {}
        getattr(axes, call)(*arguments, color=colour, **more)
        found = palette.unknown_colours(style.svg(figure))
    assert found == ["#000000" if (call, colour) == ("plot", "black") else told]


MARKERS = '<use xlink:href="#m1" x="1.234567" y="2" {0}/>\n  <use xlink:href="#m1" x="3" y="4" {1}/>\n'
RED, GLASS = 'style="fill: red"', 'style="fill: red; opacity: 0.5"'


@pytest.mark.parametrize(("before", "after"), [
    ('<path id="m0.123456" d="M 1.005999 -0.001 \nL 20 3.14159 \nz\n"/>', '<path id="m0.123456" d="M1.01 0L20 3.14z"/>'),
    ('<g transform="translate(1.23456 0.5) scale(0.015625)">', '<g transform="translate(1.23 0.5) scale(0.015625)">'),
    ('<path style="stroke-dasharray: 2.775,1.665; stroke-width: 0.123456"/>',) * 2,
    ('<rect x="7.777777" y="-7.999" width="1.23456"/>', '<rect x="7.78" y="-8" width="1.23456"/>'),
    ('<use xlink:href="#D-1" transform="translate(63.62 0)"/>', '<use href="#D-1" x="63.62"/>'),
    ('<use xlink:href="#D-1" transform="translate(63.62 2)"/>', '<use href="#D-1" transform="translate(63.62 2)"/>'),
    (f'<g>\n  {MARKERS.format(RED, RED)}</g>',
     '<g style="fill: red">\n<use href="#m1" x="1.23" y="2"/>\n<use href="#m1" x="3" y="4"/>\n</g>'),
    (f'<g id="line2d_3">\n  {MARKERS.format(GLASS, GLASS)}</g>',
     f'<g>\n<use href="#m1" x="1.23" y="2" {GLASS}/>\n<use href="#m1" x="3" y="4" {GLASS}/>\n</g>'),
    (f'<g>\n  {MARKERS.format(RED, GLASS)}</g>',
     f'<g>\n<use href="#m1" x="1.23" y="2" {RED}/>\n<use href="#m1" x="3" y="4" {GLASS}/>\n</g>'),
])  # fmt: skip
def test_a_drawing_is_made_smaller_and_stays_the_same_picture(before, after):
    """Places to a hundredth of a point, one style for markers alike; sizes, scales, dashes and opacities stay."""
    assert style.compact(before) == after == style.compact(after)


def contrast(one: str, other: str) -> float:
    """As WCAG has it."""
    dim, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dim + 0.05)


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", PAGES)
def test_every_method_has_a_colour_of_its_own_that_can_be_seen_on_its_page(scheme):
    """At least 3 : 1 against the page, as WCAG asks of graphics (the middle model is ours)."""
    which = [*PAGES].index(scheme)
    colours = {name: told[1 + which] for name, told in palette.methods().items() if name != "medium"}
    assert len(set(colours.values())) == len(colours)
    assert not [method for method, colour in colours.items() if contrast(colour, PAGES[scheme]) < 3]


def test_a_picture_of_a_notebook_is_kept_once_and_shown_on_light_and_on_dark_pages(tmp_path):
    def draw():
        figure, axis = plt.subplots(figsize=(2, 1))
        axis.plot([0, 1], color=style.ink())
        return figure

    kept = style.show(draw, alt="a line", caption="It rises.").data
    assert kept.count("<img") == 1 and "<figcaption>It rises.</figcaption>" in kept
    place = Place("", tmp_path, "", set())
    page = notebook.DRAWN.sub(lambda m: notebook.published(m, place, "one"), f"<div>{kept}</div>")
    light, dark = ((tmp_path / file).read_text() for file in re.findall(r'src="([^"]+)"', page))
    assert page.count('alt="a line"') == 2 and light != dark and light.startswith("<?xml")
    assert re.findall(r"cc-only-(\w+)", page) == ["light", "dark"]


# ------------------------------------------------------------------------------------------------ the command


def test_drawing_is_a_function_of_the_rows(answered):
    """`draw` needs no training and makes the same bytes; with a part missing it still draws, and says so."""
    before = contents(answered.answer("line"))
    note(answered.answer("grid"), {"a": noted(answered.answer("grid"))["a"]})
    shutil.rmtree(answered.root / "weights")
    answered.trace()
    done = answered.run("draw")
    assert answered.trace() == [] and contents(answered.answer("line")) == before
    assert "drew grid at laptop scale from 1 of 2 parts" in done.stdout
    assert (answered.answer("grid") / "count.table.csv").read_text() == "parts\n1 of 2\n"


def test_a_part_that_a_question_has_no_more_stays_until_all_of_todays_are_there(answered):
    """With b missing the old part is left alone; with both there it goes when the answer is drawn."""
    folder = answered.answer("grid")
    now = noted(folder)
    old = now["a"] | {"part": "z", "files": {"rows.z.csv": ""}}
    shutil.copy(folder / "rows.a.csv", folder / "rows.z.csv")
    for there in ({"a": now["a"]}, now):
        note(folder, there | {"z": old})
        answered.run("draw")
        assert (folder / "rows.z.csv").is_file() == (there != now)
    assert noted(folder) == now


def test_what_cannot_be_drawn_is_told_and_the_figures_that_stand_there_stay(answered):
    """A colour without a dark form, by its name; rows that were cut off, by their file and the way out."""
    before = contents(answered.answer("line"))
    answered.edit("reproduce/toys/line.py", '**style.line("first")', 'color="#123456"')
    told = answered.run("draw", "line", expect=2).stderr
    assert told.startswith("line/line is drawn in #123456, which has no dark form")
    rows = answered.answer("line") / "rows.csv"
    rows.write_bytes(rows.read_bytes()[:-3])
    for arguments in (["draw", "line"], ["bundle", "x.tar", "line", "--scale", "laptop"]):
        told = answered.run(*arguments, expect=2).stderr
        assert told.startswith("runs/here/line/laptop/rows.csv does not fit its receipt: it is cut off")
        assert "python -m presswork run line --scale laptop" in told and told.count("\n") == 1
    assert contents(answered.answer("line")) == before | {"rows.csv": rows.read_bytes()}
