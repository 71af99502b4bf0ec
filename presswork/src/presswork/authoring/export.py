"""A notebook page as Markdown, for generators of sites that cannot read notebooks: `presswork export docs/page.ipynb`.

Nothing is run: outputs are those that lie in the notebook, as HTML where it has some, else as text.
"""

import json
import re
from pathlib import Path
from typing import Any

from presswork.ground.errors import demand, reading
from presswork.site.notebook import FOLDS, SCRIPT, STYLE, wrong

COLOUR = re.compile(r"\x1b\[[\d;]*m")  # of a terminal
BLANK = re.compile(r"\n([ \t]*)\n")


def markdown(path: Path) -> str:
    with reading(path, "cannot be read", "name a notebook, docs/page.ipynb"):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        faults = wrong(notebook)
        blocks = [block for cell in notebook["cells"] for block in _of_cell(cell)]
        about = notebook["metadata"].get("description")
    demand(not faults, f"{path}, {'; '.join(faults)}.")
    described = f"description: {json.dumps(about, ensure_ascii=False)}\n" if about else ""
    front = (
        f"---\n{described}render_macros: false\n---"  # it is no template: braces in its code mean themselves
    )
    return "\n\n".join([front, *filter(None, blocks)]) + "\n"


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
