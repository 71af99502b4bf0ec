"""A MkDocs hook for notebook pages: their description and their looks, and nothing else.

mkdocs-jupyter puts half a megabyte of JupyterLab's style and two script loaders into each page, and leaves
formulas as text. Our own assets/css/notebook.css (2 KB) does the style, formulas become MathML as elsewhere.
"""

from __future__ import annotations

import json
import re
from typing import Any

from reproduce._site.mathml import in_prose

# One element at a time: a pattern that reaches across elements would eat the page.
STYLE = re.compile(r"<style[^>]*>(?:(?!</style>).)*</style>", re.DOTALL)
SCRIPT = re.compile(r"<script[^>]*>(?:(?!</script>).)*</script>", re.DOTALL)
COPY = re.compile(r'<div class="zeroclipboard-container">.*?</clipboard-copy>\s*</div>', re.DOTALL)
COPIED = re.compile(r'<div class="clipboard-copy-txt"[^>]*>[^<]*</div>')
LINK = re.compile(r'href="(?:index|([\w-]+))\.(?:md|ipynb)(#[^"]*)?"')
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
    content = LINK.sub(lambda m: f'href="../{m[1] + "/" if m[1] else ""}{m[2] or ""}"', content)
    name = page.file.src_path.rsplit("/", 1)[-1]
    download = f'<p class="cc-notebook"><a href="{name}" download>Download this page as a notebook</a></p>'
    return in_prose(content) + download
