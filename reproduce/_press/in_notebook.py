"""A picture with its caption in a notebook page, drawn for light pages; the site makes the dark one from it."""

import base64
import html
from collections.abc import Callable

from IPython.display import HTML
from matplotlib.figure import Figure

from reproduce._press import style


def show(draw: Callable[[], Figure], alt: str, caption: str) -> HTML:
    with style.scheme("light"):
        svg = base64.b64encode(style.svg(draw())).decode()
    picture = f'<img alt="{html.escape(alt)}" class="cc-drawn" src="data:image/svg+xml;base64,{svg}">'
    return HTML(f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>")
