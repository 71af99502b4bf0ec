"""A picture in a notebook page, drawn for light pages; the site makes the dark one from it."""

import base64
from collections.abc import Callable

from IPython.display import HTML
from matplotlib.figure import Figure

from reproduce._press import style


def show(draw: Callable[[], Figure], alt: str) -> HTML:
    with style.scheme("light"):
        svg = base64.b64encode(style.svg(draw())).decode()
    return HTML(f'<img alt="{alt}" class="cc-drawn" src="data:image/svg+xml;base64,{svg}">')
