"""Guards reproduce/_press/in_notebook.py and what the site makes of it: a picture for light and for dark pages."""

import base64
import re

import matplotlib.pyplot as plt
import pytest

from reproduce._press import style
from reproduce._site import notebook


def test_a_picture_is_kept_once_and_shown_on_light_and_on_dark_pages():
    in_notebook = pytest.importorskip("reproduce._press.in_notebook")

    def draw():
        figure, axis = plt.subplots(figsize=(2, 1))
        axis.plot([0, 1], color=style.ink())
        return figure

    kept = in_notebook.show(draw, "a line").data
    assert kept.count("<img") == 1
    page = notebook.DRAWN.sub(notebook.for_both, f"<div>{kept}</div>")
    light, dark = (base64.b64decode(drawing).decode() for drawing in re.findall(r"base64,([^\"]+)", page))
    assert page.count('alt="a line"') == 2 and light != dark and light.startswith("<?xml")
    assert re.findall(r"cc-only-(\w+)", page) == ["light", "dark"]
