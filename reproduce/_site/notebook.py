"""A MkDocs hook for notebook pages: their description and their style.

mkdocs-jupyter puts half a megabyte of JupyterLab's style and two script loaders into each page, and leaves
formulas as text. Our own assets/css/notebook.css (2 KB) does the style, formulas become MathML as elsewhere.
"""

import base64
import json
import re
from typing import Any

from reproduce._press import palette
from reproduce._site.mathml import in_prose

# One element at a time: a pattern that reaches across elements would eat the page.
STYLE = re.compile(r"<style[^>]*>(?:(?!</style>).)*</style>", re.DOTALL)
SCRIPT = re.compile(r"<script[^>]*>(?:(?!</script>).)*</script>", re.DOTALL)
COPY = re.compile(r'<div class="zeroclipboard-container">.*?</clipboard-copy>\s*</div>', re.DOTALL)
COPIED = re.compile(r'<div class="clipboard-copy-txt"[^>]*>[^<]*</div>')
LINK = re.compile(r'href="((?:\.\./)*)(?:index|([\w-]+))\.(?:md|ipynb)(#[^"]*)?"')
# nbconvert puts attributes in the order of the alphabet
DRAWN = re.compile(r'<img alt="([^"]*)" class="cc-drawn" src="data:image/svg\+xml;base64,([^"]*)"\s*/?>')
PROMPT = re.compile(r'<div class="jp-(?:Input|Output)Prompt[^>]*>.*?</div>', re.DOTALL)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """A notebook has its description in its metadata, where another page has front matter."""
    if page.file.src_path.endswith(".ipynb"):
        page.meta["description"] = json.loads(markdown)["metadata"].get("description")


def on_page_content(content: str, page: Any, **_: Any) -> str:
    if not page.file.src_path.endswith(".ipynb"):
        return content
    for unwanted in (STYLE, SCRIPT, COPY, COPIED, PROMPT):
        content = unwanted.sub("", content)
    content = content.replace("highlight-ipynb", "highlight").replace(' tabindex="0"', "")
    content = content.replace("<pre>", '<pre tabindex="0">')  # what scrolls must be reachable by keyboard
    content = LINK.sub(lambda m: f'href="../{m[1]}{m[2] + "/" if m[2] else ""}{m[3] or ""}"', content)
    content = DRAWN.sub(for_both, content)
    name = page.file.src_path.rsplit("/", 1)[-1]
    download = f'<p class="cc-notebook"><a href="{name}" download>Download this page as a notebook</a></p>'
    return in_prose(content) + download


def for_both(drawn: re.Match[str]) -> str:
    """The drawing for light pages and the same one for dark pages: the page shows one of them."""
    alt, light = drawn[1], drawn[2]
    dark = base64.b64encode(palette.dark(base64.b64decode(light))).decode()
    return "".join(
        f'<img class="cc-only-{scheme}" style="{look}" alt="{alt}" src="data:image/svg+xml;base64,{svg}">'
        for scheme, look, svg in (("light", "", light), ("dark", "display: none", dark))
    )
