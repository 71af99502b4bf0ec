"""How much of everything there is, of this working tree and of another commit: python -m tests.proportion

`--against COMMIT` prints its numbers beside; `--claims COMMIT` lists claims whose value, interval or answer is another one.
"""

import argparse
import io
import json
import re
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from reproduce._press import questions
from reproduce._site import pages

ROOT = Path(__file__).resolve().parents[1]
MOST = {  # what the cut of November 2026 aims at
    "claims": 400, "claims that no sentence and no paper's table names": 0, "open among marks, %": 14, "questions": 56,
    "pages": 38, "words of pages": 34_000, "tables on pages": 100, "figures in folds": 8,
    "lines of curvecast and reproduce": 48_000, "files of them": 410, "lines of tests": 21_500, "tracked tree, MB": 34,
}  # fmt: skip
UNSPOKEN = ("log.md", "all-claims.md")  # pages that name a claim without speaking of it
NAME = re.compile(r"(?<![\w/.])([a-z][a-z0-9_]*/[a-z][\w-]*)")
Claims = dict[str, dict[str, Any]]  # by name
FOLD = re.compile(r"<details.*?</details>|^\?\?\?.*?(?=^\S|\Z)", re.DOTALL | re.MULTILINE)
FIGURE, TABLE = re.compile(r"\{\{-?\s*fig\("), re.compile(r"\{\{-?\s*table\(")


def claims(tree: Path) -> Claims:
    """Every published claim by name, of the scale that pages show: paper, else laptop."""
    files = {path.parts[-3]: path for path in sorted((tree / "figures").glob("*/*/claims.json"))}
    read = {name: json.loads(path.read_text(encoding="utf-8")) for name, path in files.items()}
    return {f"{name}/{claim['name']}": claim for name, every in read.items() for claim in every}


def unnamed(tree: Path) -> list[str]:
    """Claims that neither a sentence of a page or notebook names nor the table of the paper's claims."""
    every = [path for path in (tree / "docs").rglob("*.*") if path.suffix in (".md", ".ipynb")]
    naming = [path for path in every if path.name not in UNSPOKEN]
    naming.append(tree / "reproduce/printed/paper_claims.csv")
    named = {name for path in naming for name in NAME.findall(path.read_text(encoding="utf-8"))}
    return sorted(claims(tree).keys() - named)


def measured(tree: Path, tracked: list[Path]) -> dict[str, float]:
    """`tracked`: the files that git keeps."""
    docs = tree / "docs"
    texts = [p.read_text(encoding="utf-8") for p in docs.glob("*.md") if p.name != "log.md"]
    answers = [answer for text in texts for answer in re.findall(r"\bshows\(\s*'[^']+',\s*'([^']+)'", text)]
    house, guards = (
        [p for p in tracked if p.suffix == ".py" and p.relative_to(tree).parts[0] in rooms]
        for rooms in (("curvecast", "reproduce"), ("tests",))
    )
    numbers = [
        *(len(claims(tree)), len(unnamed(tree))),
        100 * sum(answer in ("unclear", "not tested") for answer in answers) / max(1, len(answers)),
        len(questions.files(tree)), len(list(docs.glob("*.md"))) + len(list(docs.rglob("*.ipynb"))),
        sum(map(pages.words, texts)), sum(len(TABLE.findall(text)) for text in texts),
        sum(len(FIGURE.findall(fold)) for text in texts for fold in FOLD.findall(text)),
        sum(path.read_bytes().count(b"\n") for path in house), len(house),
        sum(path.read_bytes().count(b"\n") for path in guards), sum(path.stat().st_size for path in tracked) / 1e6,
    ]  # fmt: skip
    return dict(zip(MOST, numbers, strict=True))


def of_commit(commit: str, read: Callable[[Path, list[Path]], Any]) -> Any:
    """What `read` finds in a copy of another commit."""
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
        return read(Path(folder), [Path(folder, entry.name) for entry in tar.getmembers() if entry.isfile()])


def here(read: Callable[[Path, list[Path]], Any]) -> Any:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return read(ROOT, [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()])


def compare(old: Claims, new: Claims) -> list[str]:
    """A line for each claim whose number or answer is another one; one that moved is known by its name and question."""
    moved = {(name.split("/")[1], one["asks"]): name for name, one in old.items()}
    told, met = [], set()
    for name, claim in new.items():
        before = name if name in old else moved.get((name.split("/")[1], claim["asks"]), "")
        both = old.get(before, {}), claim
        was, now = ([one.get(key) for key in ("value", "low", "high", "answer")] for one in both)
        told += [f"{name}: {was} became {now}"] if was != now else []
        met.add(before)
    return [*told, f"{len(new)} claims, {len(old.keys() - met)} names gone, {len(told)} differ"]


def main() -> None:
    arguments = argparse.ArgumentParser(prog="python -m tests.proportion", description=__doc__)
    for name in ("--against", "--claims"):
        arguments.add_argument(name, metavar="COMMIT", default="")
    arguments.add_argument("--unnamed", action="store_true", help="list the claims that nothing names")
    wanted = arguments.parse_args()
    if wanted.claims:
        print(*compare(of_commit(wanted.claims, lambda tree, _: claims(tree)), claims(ROOT)), sep="\n")
    elif wanted.unnamed:
        print(*unnamed(ROOT), sep="\n")
    else:
        commits = [wanted.against] * bool(wanted.against)
        columns = [here(measured), *(of_commit(commit, measured) for commit in commits)]
        print(f"{'':52}{''.join(f'{name:>12}' for name in ['here', *commits, 'at most'])}")
        for what, most in MOST.items():
            print(f"{what:52}{''.join(f'{column[what]:12,.0f}' for column in columns)}{most:12,}")


if __name__ == "__main__":
    main()
