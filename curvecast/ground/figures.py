"""A figure with its caption in a notebook, and colours for it: what the notebooks of the blog draw with elsewhere."""

import base64
import html
import io
from collections.abc import Callable
from typing import Any

COLOURS = {"ours": "C0", "paper": "C1"}


def colour(method: str) -> str:
    return COLOURS.get(method, "C7")


def ink() -> str:
    return "black"


def faint() -> str:
    return "lightgrey"


def show(draw: Callable[[], Any], alt: str, caption: str) -> Any:
    """Of a function that draws and returns a matplotlib figure."""
    import matplotlib.pyplot as plt
    from IPython.display import HTML  # where there is a notebook

    figure, buffer = draw(), io.BytesIO()
    figure.savefig(buffer, format="svg", bbox_inches="tight")
    plt.close(figure)  # else the notebook shows it once more
    source = f"data:image/svg+xml;base64,{base64.b64encode(buffer.getvalue()).decode()}"
    picture = f'<img alt="{html.escape(alt)}" class="cc-drawn" src="{source}">'
    return HTML(f"<figure>{picture}<figcaption>{html.escape(caption)}</figcaption></figure>")
