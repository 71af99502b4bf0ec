"""The rules of the house as functions: each reads a tree of files and returns a sentence for each violation.

Imports inside functions, and those for type checkers alone, count like all others.
"""

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from presswork import questions

# Rooms of curvecast: none imports a later one.
ROOMS = (
    "ground", "curves", "networks", "latent", "training", "tables", "language", "exact_bayes", "scores", "logs",
    "forecasting", "while_training", "command",
)  # fmt: skip
TOOL = "presswork/src"  # imports neither the library nor the blog, and the library nothing of it
# What a room of reproduce may import besides itself, curvecast and the tool. Chapters import SHARED, and never one another.
LOWEST = ("printed", "trainings", "rival")
SHARED = ("pictures", "protocols", *LOWEST)
MAY_KNOW = {
    "pictures": LOWEST,
    "protocols": LOWEST,
    "printed": (),
    "trainings": (),
    "rival": (),
    "_plugin": (),
}
WITHOUT_THE_TOOL = ("printed", "trainings")
DOORS = ("reproduce/__main__.py", "reproduce/_plugin/plugin.py")  # they open every room
MAP_LINES = 10
UNNAMED = 2  # files that a room may have without naming them
ENTRIES = 25
QUESTION_LINES = 300
NAMELESS = ("utils", "util", "helpers", "common", "misc")


# ------------------------------------------------------------------------------------------------- what there is
def files(root: Path, *tops: str) -> list[Path]:
    return sorted(path for top in tops for path in (root / top).rglob("*.py"))


def library_and_questions(root: Path) -> list[Path]:
    return files(root, "curvecast", "reproduce", TOOL)


def folders(root: Path) -> list[Path]:
    """The folders of code, from the library to the tests."""
    return sorted({path.parent for path in files(root, "curvecast", "reproduce", TOOL, "tests")})


def shown(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


# ------------------------------------------------------------------------------------------------------- imports
def imported(path: Path) -> frozenset[str]:
    """The modules that a file imports, as dotted names ('curvecast', 'curvecast.curves.prior', 'torch')."""
    return _imported(path, path.read_text(encoding="utf-8"))


@functools.cache  # several rules ask this of a thousand files
def _imported(path: Path, text: str) -> frozenset[str]:
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: say the whole name instead of a relative import"
            names |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(names)


def graph(root: Path) -> dict[Path, set[Path]]:
    """Which file of ours imports which; a package counts only where nothing inside it is imported."""
    known = {}
    for path in library_and_questions(root):
        home = root / TOOL if path.is_relative_to(root / TOOL) else root
        parts = path.relative_to(home).with_suffix("").parts
        known[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    arrows = {}
    for path in known.values():
        names = {name for name in imported(path) if name in known}
        outer = {name for name in names if any(other.startswith(f"{name}.") for other in names)}
        arrows[path] = {known[name] for name in names - outer} - {path}
    return arrows


def circles(root: Path) -> list[str]:
    """Files that import one another, directly or through others."""
    arrows, done = graph(root), set[Path]()

    def follow(path: Path, trail: list[Path]) -> Iterator[str]:
        if path in trail:
            ring = [*trail[trail.index(path) :], path]
            yield "a circle of imports: " + " -> ".join(shown(file, root) for file in ring)
        elif path not in done:
            for other in sorted(arrows[path]):
                yield from follow(other, [*trail, path])
            done.add(path)

    return [line for path in sorted(arrows) for line in follow(path, [])]


def wrong_ways(root: Path) -> list[str]:
    """Imports from a room that may not be imported."""
    return [
        f"{shown(path, root)} must not import {shown(other, root)}: what both need moves further down"
        for path, others in graph(root).items()
        for other in sorted(others)
        if not any(
            re.match(pattern, shown(other, root)) for pattern in _known(path.relative_to(root).parts, root)
        )
    ]


def _known(parts: tuple[str, ...], root: Path) -> list[str]:
    """Patterns of the files that a file may import."""
    library, tool = [r"curvecast/(?!__main__)"], [rf"{TOOL}/presswork/"]
    if parts[0] == "presswork":
        return tool
    if parts[0] == "curvecast":
        if parts[1] not in ROOMS:  # __init__ fetches by name and late; __main__ is the door
            return library if parts[1] == "__main__.py" else []
        above = ROOMS[: ROOMS.index(parts[1]) + 1]
        return [r"curvecast/__init__\.py$", rf"curvecast/({'|'.join(above)})/"]
    room = parts[1].removesuffix(".py")
    if "/".join(parts) in DOORS:
        return ["curvecast/", "reproduce/", *tool]
    library += [] if room in WITHOUT_THE_TOOL else tool
    if room in MAY_KNOW:
        return [*library, *(rf"reproduce/{name}(/|\.py$)" for name in (room, *MAY_KNOW[room]))]
    if room == "__init__":
        return []
    shared = [*library, rf"reproduce/({'|'.join(SHARED)})(/|\.py$)", rf"reproduce/{room}/_"]
    return [*shared, rf"reproduce/{room}/{parts[2]}/"] if len(parts) > 3 else shared


# ------------------------------------------------------------------------------------------------ rooms and names
def init(folder: Path) -> ast.Module:
    """What its __init__.py says; nothing where there is none."""
    path = folder / "__init__.py"
    return ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")


def without_map(root: Path) -> list[str]:
    """Each room of more than two files has an __init__.py that says what it is and names them; and that does nothing."""
    sentences = []
    tops = {root / "curvecast", root / "reproduce", root / TOOL / "presswork"}
    there = {path.stem for top in tops for path in top.rglob("*")}
    for folder in {path.parent for path in library_and_questions(root)} - tops:
        where, code = shown(folder / "__init__.py", root), init(folder)
        room_map = ast.get_docstring(code) or ""
        names = {file.stem for file in folder.glob("*.py")} - {"__init__"}
        names |= {file.parent.name for file in folder.glob("*/question.py")}
        missing = names - set(re.findall(r"\w+", room_map)) if len(names) > UNNAMED else set()
        gone = set(re.findall(r"\b[a-z]+_[a-z_]+\b", room_map)) - there
        lines = sum(bool(line.strip()) for line in room_map.splitlines())
        if not room_map and len(names) <= UNNAMED and not code.body:
            continue
        if not room_map:
            sentences.append(f"{where} is missing: a room has a map, a docstring of up to {MAP_LINES} lines")
        elif len(code.body) > 1 or lines > MAP_LINES:
            sentences.append(f"{where}: a map is a docstring of at most {MAP_LINES} lines, without imports")
        elif missing:
            sentences.append(f"{where} does not name {', '.join(sorted(missing))}")
        elif gone:
            sentences.append(f"{where} names {', '.join(sorted(gone))}, where nothing is called so")
    return sorted(sentences)


def too_full(root: Path) -> list[str]:
    entries = {folder: len({*folder.glob("[!.]*")} - {folder / "__pycache__"}) for folder in folders(root)}
    full = {shown(folder, root): count for folder, count in entries.items() if count > ENTRIES}
    return [
        f"{where} has {count} entries: more than {ENTRIES} are two rooms" for where, count in full.items()
    ]


def too_long(root: Path) -> list[str]:
    """The file of a question is read in one go: what else it needs is an idea, and has a file of its own."""
    files = questions.files(root).values()
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    long = {shown(path, root): count for path, count in lines.items() if count > QUESTION_LINES}
    return [
        f"{where} has {count} lines: a question has at most {QUESTION_LINES}" for where, count in long.items()
    ]


def nameless(root: Path) -> list[str]:
    """Files and folders whose name says nothing."""
    paths = [*files(root, "curvecast", "reproduce", TOOL, "tests"), *folders(root)]
    return [f"{shown(path, root)}: say what is in it" for path in paths if path.stem.strip("_") in NAMELESS]


def unguarded(root: Path) -> list[str]:
    """Each room of the library has tests of its own: which file of them guards what is nobody's rule."""
    rooms = {path.parent.name for path in (root / "curvecast").glob("*/__init__.py")}
    guards = [root / "tests" / "curvecast" / room for room in sorted(rooms)]
    missing = (guard for guard in guards if not [*guard.rglob("test_*.py")])
    return [f"{shown(guard, root)} is missing: what the room does has no guard" for guard in missing]


def untrue_map_of_rooms(root: Path) -> list[str]:
    """The library's map has its rooms in their order, and that of the questions has all that lies beside it."""
    listed = re.findall(r"^(\w+)  ", ast.get_docstring(init(root / "curvecast")), re.MULTILINE)
    told = [f"curvecast/__init__.py: its rooms are {listed}, not {[*ROOMS]}"] if listed != [*ROOMS] else []
    rooms = {path.stem for path in (root / "reproduce").glob("[!.]*") if path.name[:2] != "__"}
    missing = rooms - set(re.findall(r"\w+", ast.get_docstring(init(root / "reproduce"))))
    return told + [f"reproduce/__init__.py does not name {name}" for name in sorted(missing)]
