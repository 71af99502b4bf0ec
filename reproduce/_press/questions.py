"""Where the questions are: reproduce/<chapter>/<name>.py, or question.py in a folder of that name. Standard library only.

What several questions of a chapter share lies beside them, in files whose names begin with an underscore.
"""

from pathlib import Path

from curvecast.ground.errors import UserError

NO_CHAPTERS = ("pictures", "protocols", "printed", "rival")


def chapters(root: Path) -> list[Path]:
    folders = [path for path in (root / "reproduce").glob("[!_.]*") if path.is_dir()]
    return sorted(path for path in folders if path.name not in NO_CHAPTERS)


def files(root: Path) -> dict[str, Path]:
    """The questions there are: the file of each by its name."""
    by_name: dict[str, Path] = {}
    for chapter in chapters(root):
        names = {path: path.stem for path in chapter.glob("[!_.]*.py")}
        names |= {path: path.parent.name for path in chapter.glob("[!_.]*/question.py")}
        for path, name in sorted(names.items()):
            if name in by_name:
                both = f"{by_name[name].relative_to(root)} and {path.relative_to(root)}"
                raise UserError(f"Two questions have the name {name!r}, {both}: rename one of them.")
            by_name[name] = path
    return dict(sorted(by_name.items()))


def file_of(name: str, root: Path) -> Path:
    """The file of a question; one that is not there, where there is no such question."""
    return files(root).get(name, root / "reproduce" / f"{name}.py")
