"""The contract of a question: how it is found by its name, checked, and asked for its parts, models and figures."""

import ast
import importlib
import inspect
import os
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from presswork import questions
from presswork.answers import freshness, golden
from presswork.ground import kinds
from presswork.ground.blog import BLOG, ROOT, SCALES
from presswork.ground.config import digest
from presswork.ground.errors import UserError, known
from presswork.ground.parts import combined
from presswork.questions import bound_at, tree_of

CONTRACT = "the docstring of presswork"
NAME = re.compile(r"[^\W_][\w.-]*")  # parts, tables and figures become names of files


@dataclass(frozen=True)
class Question:
    """A module that keeps the contract, with the optional functions filled in."""

    name: str
    module: ModuleType
    path: Path  # of its file, from the root

    def config(self, scale: str) -> Any:
        """Of a question without SCALES the same at every scale; None where it has no Config."""
        known("scale", scale, SCALES)
        if hasattr(self.module, "SCALES"):
            return self.module.SCALES[scale]
        return self.module.Config() if hasattr(self.module, "Config") else None

    def models(self, scale: str) -> list[Any]:
        """What is made before: what the question lists, else what its parts need, else such settings in its Config."""
        config = self.config(scale)
        if hasattr(self.module, "models"):
            return list(self.module.models(config))
        if hasattr(self.module, "needs"):
            every = [model for part in self.parts(scale) for model in self.needed(scale, part)]
            return [model for place, model in enumerate(every) if model not in every[:place]]
        return list(trainings(vars(config) if config else ()))

    def settings(self, scale: str) -> str:
        """A hash of what is asked: the config, and the networks that it names, under today's behaviour numbers."""
        variables = [name for name in getattr(self.module, "FETCHED", ()) if name in os.environ]
        folders = {name: os.environ.pop(name) for name in variables}  # whichever is there on this machine
        try:
            trained = model_names(self.models(scale))
        finally:
            os.environ.update(folders)
        return digest(self.config(scale), **({"models": trained} if trained else {}))

    def tolerances(self) -> dict[str, str]:
        """{"table.column": how far its golden numbers may move}, without the reasons."""
        return {column: str(how) for column, (how, _) in getattr(self.module, "TOLERANCES", {}).items()}

    def times_trainings(self) -> bool:
        """Do claims ask how long its trainings take on two cores? Then each has both to itself."""
        return bool(getattr(self.module, "TIMES_TRAININGS", False))

    def times(self) -> bool:
        """Does it measure times? Trainings in the background then wait."""
        return self.times_trainings() or bool(getattr(self.module, "TIMED", False))

    def parts(self, scale: str) -> list[str]:
        return list(self._jobs(scale))

    def _jobs(self, scale: str) -> dict[str, dict[str, Any]]:
        """{name: the values that the job stands for}: as `parts` says, else every combination that PARTS names."""
        config = self.config(scale)
        if hasattr(self.module, "parts"):
            named = self.module.parts(config)
            jobs = named if isinstance(named, dict) else {name: {} for name in named}
        else:
            jobs = combined(getattr(self.module, "PARTS", "all"), config, self.line)
        for name in jobs:
            if not NAME.fullmatch(name) or name == "table":
                raise UserError(f"{self.path}: part {name!r} cannot be the name of a file")
        return jobs

    def _asked(self, function: Any, scale: str, part: str, read: Any = None) -> dict[str, Any]:
        """What a function asks for by name: config, part, or a value that parts stand for, None if others do.

        By one name more, `measure` of a question that reads others asks for the rows that it reads."""
        given = self._jobs(scale)[part] | {"config": self.config(scale), "part": part}
        wanted = list(inspect.signature(function).parameters)
        if not given.keys() >= {*wanted}:
            jobs = [self._jobs(at) for at in SCALES]  # a scale may lack all parts of a kind
            given = dict.fromkeys(name for some in jobs for own in some.values() for name in own) | given
        unknown = [name for name in wanted if name not in given]
        if read is not None and len(unknown) == 1 and hasattr(self.module, "reads"):
            given[unknown.pop()] = read
        if unknown:
            known(f"value that {function.__name__} of {self.path} could ask for,", unknown[0], given)
        return {name: given[name] for name in wanted}

    def needed(self, scale: str, part: str) -> list[Any]:
        """The models that a part waits for: as the question's `needs` says, else all of its models."""
        if hasattr(self.module, "needs"):
            return list(self.module.needs(**self._asked(self.module.needs, scale, part)))
        return self.models(scale)

    def reads(self, scale: str) -> list[str]:
        """The questions whose rows `measure` is handed; of "question/scale", what is published there as it stands."""
        named = list(self.module.reads(self.config(scale))) if hasattr(self.module, "reads") else []
        if self.name in named:
            raise UserError(f"{self.name} reads itself: take {self.name!r} out of its `reads`.")
        for name in named:
            known(f"question that {self.name} could read,", name.partition("/")[0], names())
        return named

    def waits_for(self, scale: str) -> list[str]:
        """Those of them that are run first: what is published is not."""
        return [name for name in self.reads(scale) if "/" not in name]

    def line(self, what: str) -> str:
        """Where the file of the question binds this name, for a person who mends it: questions/coin.py:41."""
        tree = ast.parse(Path(str(self.module.__file__)).read_text(encoding="utf-8"))
        if what == "__doc__":
            return f"{self.path}:1"
        node = bound_at(tree, what) or bound_at(tree, "measure")  # where a name that is missing is missed
        return f"{self.path}:{node.lineno if node else 1}"

    def check(self, tables: dict[str, Any]) -> None:
        """Refuse tables and columns other than those that TABLES promises, where the question has it."""
        for name, table in tables.items() if hasattr(self.module, "TABLES") else ():
            promised, columns = set(self.module.TABLES.get(name, ())), set(table.columns) - {"part"}
            lacking, more = promised - {...} - columns, set() if ... in promised else columns - promised
            if lacking or more:
                missing, new = (", ".join(sorted(some)) or "none" for some in (lacking, more))
                wrong = f"`measure` did not return what TABLES promises of the table {name!r}"
                how = f"(missing: {missing}; not promised: {new}). Make the two agree, or measure again."
                raise UserError(f"{self.line('TABLES')}: {wrong} {how}")

    def tables(self) -> dict[str, tuple[Any, ...]]:
        """Columns by table: as TABLES promises, else as golden numbers have them; none where nobody knows yet."""
        if hasattr(self.module, "TABLES"):
            return dict(self.module.TABLES)
        found: dict[str, tuple[Any, ...]] = {}
        for name in freshness.of(self.name, ROOT).lines:
            table, _, column = name.partition(".")
            found[table] = (*found.get(table, ()), column)
        return found

    def measure(self, scale: str, part: str, read: dict[str, Any]) -> dict[str, Any]:
        """Its tables."""
        measured = self.module.measure(**self._asked(self.module.measure, scale, part, read))
        return kinds.tables(self.line("measure"), measured)

    def whole(self, rows: Any, scale: str) -> Any:
        """These rows as the question is handed them: its one table, or all of its tables, some perhaps without rows."""
        if [*(tables := self.tables())] in ([], ["rows"]):
            return rows
        from pandas import DataFrame

        part = ["part"] if len(self.parts(scale)) > 1 else []
        columns = {name: [one for one in promised if one is not ...] for name, promised in tables.items()}
        empty = {name: DataFrame(columns=part + own) for name, own in columns.items()}
        return empty | (rows if isinstance(rows, dict) else {"rows": rows})

    def estimates(self, rows: Any, scale: str) -> dict[Any, Any]:
        """What the question finds in these rows, each number with its interval, for all that shows it."""
        return self.show("estimates", rows, scale) if hasattr(self.module, "estimates") else {}

    def show(self, function: str, rows: Any, scale: str, found: Any = None) -> Any:
        """draw, tabulate or claims of these rows, if it has them. Each may ask by name for config and for what was found."""
        if not (call := getattr(self.module, function, None)):
            return [] if function == "claims" else {}
        wanted = inspect.signature(call).parameters
        if "found" in wanted and found is None:
            found = self.estimates(rows, scale)
        given = {"rows": rows, "config": self.config(scale), "found": found}
        shown = kinds.shown(self.line, function, call(*(given.get(name, rows) for name in wanted)))
        if function != "claims":
            return shown
        estimates = self.estimates(rows, scale) if found is None else found
        return [claim.looked_up(estimates) for claim in shown]


def trainings(value: Any) -> Iterator[Any]:
    """Settings of what is made before, among these values, in their order."""
    if isinstance(value, dict | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from trainings(one)
    elif BLOG.plugin.made_before(value):
        yield value


def model_names(configs: list[Any]) -> list[str]:
    return [BLOG.plugin.name(config) for config in configs]


def names(root: Path = ROOT) -> list[str]:
    return list(questions.files(root))


def load(name: str, root: Path = ROOT) -> Question:
    """The question of this name, imported and checked."""
    known("question", name, names(root))
    path = questions.file_of(name, root).relative_to(root)
    tree_of(name, root)  # a file that is not Python is told with its line
    try:
        question = Question(name, importlib.import_module(".".join(path.with_suffix("").parts)), path)
    except (Exception, SystemExit) as error:  # whatever its lines do
        frames = traceback.extract_tb(error.__traceback__)
        line = [1, *(frame.lineno for frame in frames if frame.filename.endswith(str(path)))][-1]
        said = error if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        way_out = "install what it needs, or mend this line"
        raise UserError(f"{path}:{line} cannot be imported ({said}): {way_out}.") from error
    if problem := broken(question.module):
        what, misses = problem
        raise UserError(f"{question.line(what)} does not keep the contract: {misses} (see {CONTRACT}).")
    return question


def in_order(scale: str, questions: list[str], root: Path = ROOT) -> list[str]:
    """These questions and those that they read, each after what it reads."""
    ordered: dict[str, None] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            circle = " reads ".join([*above[above.index(name) :], name])
            raise UserError(f"{circle}: a circle has no beginning; take one of them out of `reads`.")
        for other in load(name, root).waits_for(scale):
            add(other, (*above, name))
        ordered[name] = None

    for name in questions:
        add(name, ())
    return list(ordered)


def broken(module: ModuleType) -> tuple[str, str] | None:
    """What the contract misses in this module, after the name that it is about; or None."""
    if not (module.__doc__ or "").strip():
        return "__doc__", "its first line must be a docstring that asks the question"
    if not callable(getattr(module, "measure", None)):
        return "measure", "the function measure is missing"
    config = getattr(module, "Config", None)
    frozen = is_dataclass(config) and config.__dataclass_params__.frozen  # type: ignore[union-attr]  # set by dataclass
    if config is not None and not frozen:
        return "Config", "Config must be a frozen dataclass"
    scales = getattr(module, "SCALES", None)
    if scales is not None and set(scales) != set(SCALES):
        return "SCALES", f"SCALES must name {', '.join(SCALES)}"
    if scales and not (config and all(isinstance(one, config) for one in scales.values())):
        return "SCALES", "each entry of SCALES must be a Config"
    for function in ("draw", "tabulate", "claims", "estimates"):
        if not callable(getattr(module, function, broken)):
            return function, f"{function} must be a function"
    parts = getattr(module, "PARTS", "all")
    if not all(isinstance(one, str) for one in (parts if isinstance(parts, tuple) else (parts,))):
        return "PARTS", 'PARTS must be templates of names, ("sum", "{row}-{seed}")'
    if isinstance(file := getattr(module, "FILES", ()), str):
        return "FILES", f'FILES must be a tuple of names, ("{file}",)'
    tables = getattr(module, "TABLES", {"rows": ()})
    if not isinstance(tables, dict) or not all(isinstance(one, tuple) for one in [*tables.values()] or [0]):
        form = 'TABLES = {"rows": ("x", "y")}, by table and column'
        return "TABLES", f"TABLES must name what `measure` returns, {form}"
    for column, told in getattr(module, "TOLERANCES", {}).items():
        match told:  # a share of the column's size, or `chaotic`, and why
            case (float() | golden.CHAOTIC, str(reason)) if reason.strip():
                continue
        return "TOLERANCES", f'TOLERANCES["{column}"] must be (a share or "{golden.CHAOTIC}", "the reason")'
    return None
