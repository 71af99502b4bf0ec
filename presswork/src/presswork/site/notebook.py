"""A MkDocs hook for notebook pages: their description, their style, and code that steps aside; pictures of words; and the
server that goes on.

mkdocs-jupyter puts half a megabyte of JupyterLab's style and two script loaders into each page, and leaves
formulas as text. Our own assets/css/notebook.css (2 KB) does the style, formulas become MathML as elsewhere.
A tag in a cell's metadata folds its code; what the cell shows stays visible.
"""

import base64
import html
import itertools
import json
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import Abort, BuildError

from presswork.ground.blog import BLOG
from presswork.ground.errors import demand, reading
from presswork.site import blocks, pictures
from presswork.site.extension import in_prose
from presswork.site.provenance import Place

FOLDS = {  # tag: what the closed fold says
    "imports": "show the imports",
    "draws": "show the code of this figure",
    "prints": "show the code of these numbers",
    "trains": "show the code of this training",
}
TAGS = {*FOLDS, "parameters"}  # the latter marks the cell whose numbers a test makes smaller

# One element at a time: a pattern that reaches across elements would eat the page.
STYLE = re.compile(r"<style[^>]*>(?:(?!</style>).)*</style>", re.DOTALL)
SCRIPT = re.compile(r"<script[^>]*>(?:(?!</script>).)*</script>", re.DOTALL)
COPY = re.compile(r'<div class="zeroclipboard-container">.*?</clipboard-copy>\s*</div>', re.DOTALL)
COPIED = re.compile(r'<div class="clipboard-copy-txt"[^>]*>[^<]*</div>')
TABLE = '<div class="cc-scroll" tabindex="0" role="group" aria-label="A table, scrolls sideways on a phone">\\g<0></div>'
LINK = re.compile(r'href="((?:\.\./)*)(?:index|([\w-]+))\.(?:md|ipynb)(#[^"]*)?"')
# nbconvert puts attributes in the order of the alphabet
DRAWN = re.compile(r'<img alt="([^"]*)" class="cc-drawn" src="data:image/svg\+xml;base64,([^"]*)"\s*/?>')
CODE = re.compile(  # that of a cell with such a tag
    rf'(celltag_({"|".join(FOLDS)})\b[^>]* id="[^>]*>(?:(?!<pre).)*)'
    r'(<div class="highlight[^>]*><pre(?:(?!</pre>).)*</pre>\s*</div>)',
    re.DOTALL,
)
GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
COLAB = "https://colab.research.google.com/github"
MARKED_UP = re.compile(r"<(math|pre)\b.*?</\1>", re.DOTALL)  # of which the search reads the text
TAG, SPAN = re.compile("<[^>]*>"), re.compile("</?span[^>]*>|<a [^>]*></a>")
TOOLBAR = re.compile(r'<div class="celltoolbar">.*?</div>\s*</div>', re.DOTALL)  # names the tags of a cell
PROMPT = re.compile(r'<div class="jp-(?:Input|Output)Prompt[^>]*>.*?</div>', re.DOTALL)


def on_serve(server: Any, **_: Any) -> None:
    """Let the server outlive a page that cannot be built: MkDocs goes on after an Exception alone, and what is wrong on
    a page ends a build by SystemExit, since mkdocs-macros would catch an Exception and print its traceback."""
    build = server.builder

    def built() -> None:
        try:
            build()
        except SystemExit:
            raise Abort("The site stays as it was: mend this, and save the page again.") from None

    server.builder = built


def on_pre_build(config: Any, **_: Any) -> None:
    blocks.kept = {}
    pictures.read(Path(config["docs_dir"]))


def on_post_build(config: Any, **_: Any) -> None:
    pictures.none_missing(Path(config["site_dir"]))


def on_post_page(output: str, **_: Any) -> str:
    return blocks.whole(output)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> None:
    """A notebook has its description in its metadata, where another page has front matter."""
    if page.file.src_path.endswith(".ipynb"):
        notebook = json.loads(markdown)
        if faults := wrong(notebook):
            raise BuildError("\n".join(f"docs/{page.file.src_path}, {fault}." for fault in faults))
        page.meta["description"] = notebook["metadata"].get("description")


def wrong(notebook: dict[str, Any]) -> list[str]:
    """Figures without words and tags without a meaning, by cell. The converter would invent an alternative text."""
    faults = []
    for number, cell in enumerate(notebook["cells"], 1):
        where = f"cell {cell.get('id', number)}"  # older notebooks have no names of cells
        strange = [tag for tag in cell["metadata"].get("tags", []) if tag not in TAGS]
        faults += [f"{where}: the tag {tag!r} is none of {', '.join(sorted(TAGS))}" for tag in strange]
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            shown = "".join(data.get("text/html", ""))
            pictures = re.findall(r"<img\b[^>]*>", shown)
            plain = any(kind.startswith("image/") for kind in data)
            if plain or not all(re.search(r'alt="[^"]*[^"\s]', picture) for picture in pictures):
                faults.append(f"{where}: a figure without alternative text; use show(draw, alt=…, caption=…)")
            elif len(re.findall(r"<figcaption>\s*[^<\s]", shown)) < len(pictures):
                faults.append(f"{where}: a figure without a caption; use show(draw, alt=…, caption=…)")
    return faults


def on_page_content(content: str, page: Any, config: Any, **_: Any) -> str:
    if page.file.src_path.endswith(".ipynb"):
        content = _looks(content, page, config)
    content = pictures.in_page(content, Place(page.url, Path(config["site_dir"]), "", set()))
    read = {"math": TAG, "pre": SPAN}
    return MARKED_UP.sub(lambda m: blocks.aside(m[0], read[m[1]].sub("", m[0])), content)


def _looks(content: str, page: Any, config: Any) -> str:
    """A page of mkdocs-jupyter, in the looks of the other pages."""
    for unwanted in (STYLE, SCRIPT, COPY, COPIED, PROMPT, TOOLBAR):
        content = unwanted.sub("", content)
    content = content.replace("highlight-ipynb", "highlight").replace(' tabindex="0"', "")
    content = content.replace("<pre>", '<pre tabindex="0">')  # what scrolls must be reachable by keyboard
    content = re.sub("<table>.*?</table>", TABLE, content, flags=re.DOTALL)
    if config["use_directory_urls"]:
        content = LINK.sub(lambda m: f'href="../{m[1]}{m[2] + "/" if m[2] else ""}{m[3] or ""}"', content)
    else:
        content = LINK.sub(lambda m: f'href="{m[1]}{m[2] or "index"}.html{m[3] or ""}"', content)
    content = CODE.sub(folded, content)
    place, numbers = Place(page.url, Path(config["site_dir"]), "", set()), itertools.count(1)
    content = DRAWN.sub(lambda m: published(m, place, f"{page.file.name}-{next(numbers)}"), content)
    numbers, said = itertools.count(1), '<figcaption><span class="cc-number">Figure {}.</span> '
    content = re.sub("<figcaption>", lambda _: said.format(next(numbers)), content)
    name = page.file.src_path.rsplit("/", 1)[-1]
    links = f'<a href="{name}" download>Download this page as a notebook</a>'
    if at := GITHUB.match(config["repo_url"] or ""):
        links += f' or <a href="{COLAB}/{at[1]}/blob/HEAD/docs/{page.file.src_path}">open it in Colab</a>'
    return in_prose(content) + f'<p class="cc-notebook">{links}. {BLOG.needed_by_notebooks}</p>'


def folded(cell: re.Match[str]) -> str:
    """The code of a cell behind one line, which opens without a script and by keyboard."""
    above, tag, code = cell.groups()
    inside = f"<summary>{FOLDS[tag]}</summary>{code}</details>"
    return above + blocks.aside(f'<details class="cc-code" data-search-exclude>{inside}')


def published(drawn: re.Match[str], place: Place, name: str) -> str:
    """A drawing as two files, of which the page loads one, when a reader comes near; else each page weighs a megabyte."""
    light, alt, folder = base64.b64decode(drawn[2]), html.unescape(drawn[1]), "answers/notebooks"
    return blocks.for_both(light, alt, lambda file, data: place.publish(f"{folder}/{name}.{file}", data))


# -------------------------------------------------------------------------------------- the same page as Markdown

COLOUR = re.compile(r"\x1b\[[\d;]*m")  # of a terminal
BLANK = re.compile(r"\n([ \t]*)\n")


def as_markdown(path: Path) -> str:
    """For generators of sites that cannot read notebooks. Nothing is run: outputs are those that lie in the notebook."""
    with reading(path, "cannot be read", "name a notebook, docs/page.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        faults = wrong(notebook)
        pieces = [piece for cell in notebook["cells"] for piece in _of_cell(cell)]
        about = notebook["metadata"].get("description")
    demand(not faults, f"{path}, {'; '.join(faults)}.")
    described = f"description: {json.dumps(about, ensure_ascii=False)}\n" if about else ""
    front = f"---\n{described}render_macros: false\n---"  # no template: braces in its code mean themselves
    return "\n\n".join([front, *filter(None, pieces)]) + "\n"


def _of_cell(cell: dict[str, Any]) -> list[str]:
    """A block for its text or code, and one for each output."""
    source = "".join(cell["source"]).strip("\n")
    if cell["cell_type"] != "code":
        return [source]
    code = _fenced(source, "python")
    fold = next((FOLDS[tag] for tag in cell["metadata"].get("tags", []) if tag in FOLDS), None)
    if fold and code:
        code = f"<details>\n<summary>{fold}</summary>\n\n{code}\n\n</details>"
    return [code, *map(_shown, cell["outputs"])]


def _shown(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    if "text/html" in data:
        html = SCRIPT.sub("", STYLE.sub("", "".join(data["text/html"]))).strip()
        # Markdown takes for HTML what stands between such a line and the next blank one, so none may be left in it
        return html and "<div>\n" + BLANK.sub(r"\n\1&#10;", html) + "\n</div>"
    failed = f"{output['ename']}: {output['evalue']}" if output["output_type"] == "error" else ""
    return _fenced(COLOUR.sub("", "".join(output.get("text") or data.get("text/plain") or failed)), "text")


def _fenced(text: str, language: str) -> str:
    """Between more backticks than stand in it; nothing where there is nothing."""
    fence, text = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", text))]), text.strip("\n")
    return f"{fence}{language}\n{text}\n{fence}" if text else ""
