"""A picture with its caption in a notebook page, drawn for light pages; the site makes the dark one from it."""

from collections.abc import Callable
from typing import Any

from matplotlib.figure import Figure

from curvecast.ground.figures import with_words
from reproduce._press import style


def show(draw: Callable[[], Figure], alt: str, caption: str) -> Any:
    with style.scheme("light"):
        return with_words(style.svg(draw()), alt, caption)
