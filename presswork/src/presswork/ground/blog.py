"""Which blog this process works for: the nearest folder whose pyproject.toml has [tool.presswork], and what that says.

The environment variable PRESSWORK_BLOG names another folder. Every setting is a field of `Blog`. Standard library only.
"""

import dataclasses
import importlib
import os
import sys
import tomllib
from dataclasses import dataclass, field
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, get_origin

from presswork.ground.errors import UserError, demand, known
from presswork.ground.plugin import Plugin

VARIABLE, TABLE = "PRESSWORK_BLOG", "[tool.presswork]"


@dataclass(frozen=True)
class Blog:
    root: Path
    title: str = ""  # of the site; that of its folder where it is empty
    name: str = "blog"  # of the files that are carried away, and the salt of the ids in drawings
    command: str = "presswork"  # as receipts and messages call the tool
    whole: str = "presswork blog"  # the command that makes all of the blog again
    serve: str = "presswork serve"  # the command that shows it
    questions: str = "questions"  # the folder of the questions, or of their chapters
    not_chapters: tuple[str, ...] = ()  # folders in it that hold no questions
    scales: tuple[str, ...] = ("smoke", "full")  # that of tests, the usual one, …; the best is the last
    costly: str = ""  # the scale whose answers outlive golden numbers, and whose parts get a process each
    code: tuple[str, ...] = ()  # what answers are made by, besides the questions: folders and files
    drawn_with: tuple[str, ...] = ()  # of these what drawings depend on, besides the chapter
    pages_read: tuple[str, ...] = ()  # what pages name or print, besides code, answers and docs/
    imported_first: tuple[str, ...] = ()  # what many jobs import, beside torch
    libraries: tuple[str, ...] = ("numpy", "pandas", "scipy", "matplotlib")  # whose versions receipts note
    ledger: dict[str, str] = field(default_factory=lambda: {"numpy": "NumPy"})  # of which ledgers name these
    units: tuple[str, ...] = ()  # of claims, besides those of the tool
    drawn_from: dict[str, str] = field(default_factory=dict)  # column: what an interval over it counts
    printed: str = "printed"  # the folder of what papers print, of retired claims, and of those asked late
    package: str = ""  # whose commands pages may print
    shown_by: tuple[str, ...] = ()  # macros and arguments of the plugin that show an answer
    needed_by_notebooks: str = ""  # what a reader of a notebook page does first, as HTML
    plugin_at: str = ""  # "module:Class", a presswork.ground.plugin.Plugin
    there: bool = True  # is there any such folder?

    @cached_property
    def plugin(self) -> Plugin:
        """What the blog adds to the tool; loaded when it is first asked for something."""
        if not self.plugin_at:
            return Plugin()
        if str(self.root) not in sys.path:
            sys.path.insert(0, str(self.root))
        module, _, kind = self.plugin_at.partition(":")
        try:
            made = getattr(importlib.import_module(module), kind)()
        except Exception as error:
            wrong = f"cannot be loaded ({type(error).__name__}: {error})"
            raise UserError(f"{self.where}: the plugin {self.plugin_at!r} {wrong}.") from error
        if not isinstance(made, Plugin):
            raise UserError(f"{self.where}: {self.plugin_at!r} is no presswork.ground.plugin.Plugin.")
        return made

    def demand(self) -> None:
        """Most commands need one."""
        lacks = f"neither {self.root} nor a folder above has {TABLE} in its pyproject.toml"
        demand(self.there, f"There is no blog here: {lacks}; `presswork new FOLDER` begins one.")

    @property
    def where(self) -> Path:
        return self.root / "pyproject.toml"

    @property
    def smoke(self) -> str:
        return self.scales[0]

    @property
    def usual(self) -> str:
        return self.scales[1]

    @property
    def best_first(self) -> tuple[str, ...]:
        """The scales that pages show."""
        return self.scales[:0:-1]

    @property
    def errors(self) -> tuple[type[Exception], ...]:
        """What users can act on: it is printed as a sentence."""
        return UserError, *self.plugin.errors

    def whole_with(self, option: str) -> str:
        """The command for all of the blog with an option: of make, or of the tool."""
        return f"{self.whole} {option}=1" if self.whole.startswith("make ") else f"{self.whole} --{option}"

    def version(self, library: str) -> str:
        try:
            return metadata.version(library)
        except metadata.PackageNotFoundError:
            return "unknown"


def nearest(start: Path) -> Blog:
    """The blog of this folder, or of the nearest one above; the folder itself with all defaults where there is none."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            try:
                told = tomllib.loads(path.read_text(encoding="utf-8")).get("tool", {}).get("presswork")
            except ValueError as error:
                raise UserError(f"{path} cannot be read: {error}.") from None
            if told is not None:
                return Blog(folder, **{key: _fitting(path, key, value) for key, value in told.items()})
    return Blog(start, there=False)


def _fitting(path: Path, key: str, value: Any) -> Any:
    """The value of a setting, if there is such a one and its value is of the kind of its default."""
    settings = [one for one in dataclasses.fields(Blog) if one.name not in ("root", "there")]
    kinds: dict[str, Any] = {one.name: get_origin(one.type) or one.type for one in settings}
    known(f"setting in {TABLE} of {path} called", key, kinds)
    forms = {str: (str, "a text"), tuple: (list, "a list of texts"), dict: (dict, "a table of texts")}
    wanted, form = forms[kinds[key]]
    texts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value]
    if not isinstance(value, wanted) or not all(isinstance(text, str) for text in texts):
        raise UserError(f"{path}: {key} = {value!r} in {TABLE} should be {form}.")
    if key == "scales" and len(value) < 2:
        raise UserError(f"{path}: scales in {TABLE} needs two at least: that of tests, and the usual one.")
    return tuple(value) if wanted is list else value


try:
    _start = Path(os.environ.get(VARIABLE) or Path.cwd()).resolve()
    demand(_start.is_dir(), f"{VARIABLE} names {_start}, where there is no folder: name that of a blog.")
    BLOG = nearest(_start)
except UserError as told:  # whoever imports this, a command or MkDocs, can do nothing without it
    print(told, file=sys.stderr)
    raise SystemExit(2) from None
if str(BLOG.root) not in sys.path:
    sys.path.append(str(BLOG.root))
ROOT, SCALES = BLOG.root, BLOG.scales
HOMES = {"published": "figures", "here": "runs/here", "smoke": "runs/smoke/figures"}  # where answers lie
