"""A MkDocs hook that makes pages of notebooks: their description, their cells, and code that steps aside.

Cells are named as in JupyterLab, and their text is read by nbconvert, which comes with mkdocs-jupyter: that one's own pages
bring half a megabyte of style and two script loaders, and a build waits ten seconds for them. Our assets/css/notebook.css
(2 KB) does the style, formulas become MathML as elsewhere. A tag in a cell's metadata folds its code; what the cell shows
stays visible.
"""

import base64
import html
import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

from markdown.extensions.toc import nest_toc_tokens, slugify
from mkdocs.exceptions import BuildError
from mkdocs.structure.toc import get_toc
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from pygments import highlight  # type: ignore[import-untyped]  # ships no types
from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]
from pygments.lexers import PythonLexer  # type: ignore[import-untyped]

from reproduce._site import blocks
from reproduce._site.mathml import in_prose
from reproduce._site.provenance import Place

FOLDS = {  # tag: what the closed fold says
    "imports": "show the imports",
    "draws": "show the code of this figure",
    "prints": "show the code of these numbers",
    "trains": "show the code of this training",
}
TAGS = {*FOLDS, "parameters"}  # the latter marks the cell whose numbers a test makes smaller

TABLE = '<div class="cc-scroll" tabindex="0" role="group" aria-label="A table, scrolls sideways on a phone">\\g<0></div>'
LINK = re.compile(r'href="((?:\.\./)*)(?:index|([\w-]+))\.(?:md|ipynb)(#[^"]*)?"')
DRAWN = re.compile(r'<img alt="([^"]*)" class="cc-drawn" src="data:image/svg\+xml;base64,([^"]*)">')
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
PRE = '<pre tabindex="0">'  # what scrolls must be reachable by keyboard
MARKED_UP = re.compile(r"<(math|pre)\b.*?</\1>", re.DOTALL)  # of which the search reads the text
TAG, SPAN = re.compile("<[^>]*>"), re.compile("</?span[^>]*>|<a [^>]*></a>")
COLAB = "https://colab.research.google.com/github"


def on_pre_build(**_: Any) -> None:
    blocks.kept = {}


def on_files(files: Any, **_: Any) -> None:
    """Notebooks are pages, too."""
    for file in files:
        if file.src_uri.endswith(".ipynb"):
            file.is_documentation_page = lambda: True
            for where in ("dest_uri", "url"):  # of what is no page
                file.__dict__.pop(where, None)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """A notebook has its description in its metadata, where another page has front matter."""
    if page.file.src_path.endswith(".ipynb"):
        notebook = json.loads(markdown)
        if faults := wrong(notebook):
            raise BuildError("\n".join(f"docs/{page.file.src_path}, {fault}." for fault in faults))
        page.meta["description"] = notebook["metadata"].get("description")
        page.render = lambda *_: render(page, notebook["cells"])


def on_post_page(output: str, page: Any, **_: Any) -> str:
    if page.file.src_path.endswith(".ipynb"):  # what the page offers
        folder = Path(page.file.abs_dest_path).parent
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(page.file.abs_src_path, folder / Path(page.file.src_path).name)
    return blocks.whole(output)


def wrong(notebook: dict[str, Any]) -> list[str]:
    """Figures without words and tags without a meaning, by cell. The converter would invent an alternative text."""
    faults = []
    for cell in notebook["cells"]:
        where = f"cell {cell['id']}"
        faults += [
            f"{where}: the tag {tag!r} is none of {', '.join(sorted(TAGS))}"
            for tag in cell["metadata"].get("tags", [])
            if tag not in TAGS
        ]
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            shown = "".join(data.get("text/html", ""))
            pictures = re.findall(r"<img\b[^>]*>", shown)
            plain = any(kind.startswith("image/") for kind in data)
            if plain or not all(re.search(r'alt="[^"]*[^"\s]', picture) for picture in pictures):
                faults.append(f"{where}: a figure without alternative text; use show(draw, alt=…, caption=…)")
            elif len(re.findall(r"<figcaption>\s*[^<\s]", shown)) < len(pictures):
                faults.append(f"{where}: a figure without a caption; use show(draw, alt=…, caption=…)")
    return faults


# ------------------------------------------------------------------------------------------------ cells as HTML

RICH = "jp-RenderedHTMLCommon jp-Rendered"
INPUT, OUTPUTS = (
    f'<div class="jp-Cell-{side}Wrapper"><div class="jp-Collapser jp-{name}Collapser jp-Cell-{side}Collapser"></div>'
    f'<div class="jp-{name}Area jp-Cell-{side}Area">{{}}</div></div>'
    for side, name in (("input", "Input"), ("output", "Output"))
)


class Text(IPythonRenderer):
    """The text of cells; it remembers their headings."""

    def __init__(self) -> None:
        super().__init__(escape=False)
        self.headings: list[dict[str, Any]] = []

    def heading(self, text: str, level: int, **_: Any) -> str:
        name = re.sub("<[^>]*>", "", text)
        anchor = slugify(html.unescape(name), "-")
        self.headings.append({"level": level, "id": anchor, "name": name})
        return f'<h{level} id="{anchor}">{text}<a class="anchor-link" href="#{anchor}">¶</a></h{level}>\n'


def render(page: Any, cells: list[dict[str, Any]]) -> None:
    """What a page of MkDocs has when its Markdown is read: content, table of contents, title."""
    text = Text()
    markdown = MarkdownWithMath(renderer=text)
    made = ""
    for cell in cells:
        source, place = "".join(cell["source"]), f' id="cell-id={cell["id"]}"'
        if cell["cell_type"] == "code":
            made += code_cell(cell, source, place)
        else:
            inside = div(f"{RICH}Markdown jp-MarkdownOutput", markdown.render(source), of("text/markdown"))
            made += div("jp-Cell jp-MarkdownCell jp-Notebook-cell", INPUT.format(inside), place)
    look = ' data-jp-theme-light="true" data-jp-theme-name="JupyterLab Light"'
    page.content = div("jupyter-wrapper", div("jp-Notebook", made, look))
    page.title = next((heading["name"] for heading in text.headings if heading["level"] == 1), page.title)
    page.toc = get_toc(nest_toc_tokens(text.headings))  # which takes them all


def div(kinds: str, inside: str, more: str = "") -> str:
    return f'<div class="{kinds}"{more}>\n{inside}\n</div>'


def of(kind: str) -> str:
    return f' data-mime-type="{kind}"'


def code_cell(cell: dict[str, Any], source: str, place: str) -> str:
    """Its code, behind one line if it has such a tag, which opens without a script and by keyboard; and what it shows."""
    tags = cell["metadata"].get("tags", [])
    code = highlight(source, PythonLexer(), HtmlFormatter(cssclass="highlight hl-python")).replace(
        "<pre>", PRE
    )
    for tag in FOLDS.keys() & tags:
        inside = f"<summary>{FOLDS[tag]}</summary>{code}</details>"
        code = blocks.aside(f'<details class="cc-code" data-search-exclude>{inside}')
    editor = "jp-CodeMirrorEditor jp-Editor jp-InputArea-editor"
    inside = INPUT.format(div(editor, div("CodeMirror cm-s-jupyter", code), ' data-type="inline"'))
    inside += OUTPUTS.format("\n".join(map(output, cell["outputs"]))) if cell["outputs"] else ""
    kinds = ["jp-Cell jp-CodeCell jp-Notebook-cell", *["jp-mod-noOutputs"] * (not cell["outputs"])]
    named = " ".join([*kinds, *(f"celltag_{tag}" for tag in tags)])
    return div(named, div(named, inside, place))


def output(shown: dict[str, Any]) -> str:
    """What was printed, or the result of the last line."""
    data, result = shown.get("data", {}), " jp-OutputArea-executeResult" * ("data" in shown)
    kind, kinds, inside = "text/html", f"{RICH}HTML", "".join(data.get("text/html", ""))
    if not inside:
        text = html.escape("".join(data.get("text/plain", "") or shown["text"]), quote=False)
        kind, kinds, inside = "text/plain", "jp-RenderedText", f"<pre>{text}</pre>"
    return div(f"jp-OutputArea-child{result}", div(f"{kinds} jp-OutputArea-output{result}", inside, of(kind)))


def on_page_content(content: str, page: Any, config: Any, **_: Any) -> str:
    if page.file.src_path.endswith(".ipynb"):
        content = _looks(content, page, config)
    return MARKED_UP.sub(
        lambda m: blocks.aside(m[0], (TAG if m[1] == "math" else SPAN).sub("", m[0])), content
    )


def _looks(content: str, page: Any, config: Any) -> str:
    """A page of cells, in the looks of the other pages."""
    content = content.replace("<pre>", PRE)
    content = re.sub("<table>.*?</table>", TABLE, content, flags=re.DOTALL)
    if config["use_directory_urls"]:
        content = LINK.sub(lambda m: f'href="../{m[1]}{m[2] + "/" if m[2] else ""}{m[3] or ""}"', content)
    else:
        content = LINK.sub(lambda m: f'href="{m[1]}{m[2] or "index"}.html{m[3] or ""}"', content)
    place, numbers = Place(page.url, Path(config["site_dir"]), "", set()), itertools.count(1)
    content = DRAWN.sub(lambda m: published(m, place, f"{page.file.name}-{next(numbers)}"), content)
    numbers = itertools.count(1)
    content = re.sub(
        "<figcaption>", lambda m: f'{m[0]}<span class="cc-number">Figure {next(numbers)}.</span> ', content
    )
    name = page.file.src_path.rsplit("/", 1)[-1]
    links = f'<a href="{name}" download>Download this page as a notebook</a>'
    if at := GITHUB.match(config["repo_url"] or ""):
        links += f' or <a href="{COLAB}/{at[1]}/blob/HEAD/docs/{page.file.src_path}">open it in Colab</a>'
    needs = "It runs in a clone of the repository, after <code>make setup</code>."
    return in_prose(content) + f'<p class="cc-notebook">{links}. {needs}</p>'


def published(drawn: re.Match[str], place: Place, name: str) -> str:
    """A drawing as two files, of which the page loads one, when a reader comes near; else each page weighs a megabyte."""
    return blocks.for_both(
        base64.b64decode(drawn[2]),
        html.unescape(drawn[1]),
        lambda file, data: place.publish(f"answers/notebooks/{name}.{file}", data),
    )
