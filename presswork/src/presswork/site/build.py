"""The site of a blog, built or served by MkDocs: the blog's own few lines and the tool's defaults as one configuration.

A blog may have a mkdocs.yml with its navigation, or with all that it wants otherwise. One that INHERITs the tool's is used
as it stands. Else both are put together in runs/mkdocs.yml, as JSON, which is YAML too. So what a change of the generator
asks for is one file here.
"""

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from mkdocs.exceptions import MkDocsException
from mkdocs.utils.yaml import yaml_load

from presswork.ground.blog import BLOG
from presswork.ground.errors import reading
from presswork.ground.files import write

HOME = Path(__file__).parent


def configuration(root: Path) -> Path:
    own = root / "mkdocs.yml"
    mine: dict[str, Any] = {}
    if own.is_file():
        with reading(own, "cannot be read", "mend it, or take it away"):
            mine = _read(own)
            if re.search(r"^INHERIT:", own.read_text(encoding="utf-8"), re.MULTILINE):
                return own
    rooms = (root / room for room in ("figures", "ledger", BLOG.questions))
    watched = [str(room) for room in rooms if room.is_dir()]
    places = {"docs_dir": str(root / "docs"), "site_dir": str(root / "site"), "watch": watched}
    begin = {"site_name": BLOG.title or root.name, "theme": {"custom_dir": str(HOME / "theme")}}
    places["hooks"] = [str(HOME / "notebook.py")]
    path = root / "runs" / "mkdocs.yml"
    whole = merged(merged(merged(_read(HOME / "mkdocs.yml"), begin), mine), places)
    write(path, json.dumps(whole, indent=1).encode())
    return path


def _read(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        return dict(yaml_load(file))


def merged(one: Any, other: Any) -> Any:
    """The second over the first: tables are put together, lists follow one another, all else is replaced."""
    if isinstance(one, dict) and isinstance(other, dict):
        both = {key: merged(one[key], other[key]) for key in one.keys() & other.keys()}
        return one | other | both
    return [*one, *other] if isinstance(one, list) and isinstance(other, list) else other


def mkdocs(command: str, *more: str) -> int:
    """`mkdocs build` or `mkdocs serve` of this blog.  -> the exit status"""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    from mkdocs.__main__ import cli

    site = BLOG.root / "site"
    if command == "build":  # beside the old one, which stays if a page fails
        more = (*more, "--site-dir", str(BLOG.root / "runs" / "site"))
    try:
        cli([command, "--config-file", str(configuration(BLOG.root)), *more], standalone_mode=False)
    except MkDocsException as error:  # MkDocs has said what is wrong with a page, or says it so
        error.show()
        return 1
    except SystemExit as ended:
        return int(ended.code or 0)
    if command == "build":
        shutil.rmtree(site, ignore_errors=True)
        shutil.move(BLOG.root / "runs" / "site", site)
    return 0
