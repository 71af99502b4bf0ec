"""From clones of public repositories to tables of real curves."""

import argparse
import sys
from pathlib import Path

from curvecast.curves.sources import catalogue
from curvecast.curves.sources.catalogue import SOURCES, Converted
from curvecast.ground.errors import UserError

ALL = "all"


def listed() -> str:
    """What to clone: a line of facts a source, and below it the command."""
    lines = []
    for name, (origin, _) in SOURCES.items():
        size = f"{origin.megabytes:,} MB"
        lines.append(f"{name:<16} {size:>8}  {origin.licence:<12}  {origin.address} at {origin.commit[:10]}")
        lines.append(f"  {origin.to_clone}")
    return "\n".join(lines)


def convert(options: argparse.Namespace) -> int:
    """1 where a table is not the published one."""
    name = options.source
    if options.list:
        print(listed())
        return 0
    if options.out is None:
        raise UserError("convert needs SOURCE, CLONE and OUT, or --list; see curvecast convert --help")
    if name not in (ALL, *SOURCES):
        raise UserError(f"there is no source {name!r}: take {ALL} or one of {', '.join(SOURCES)}")
    same = [_one(one, where, options.out) for one, where in _wanted(name, options.clone)]
    return 0 if all(same) else 1


def _wanted(name: str, clone: Path) -> list[tuple[str, Path]]:
    if name != ALL:
        return [(name, clone)]
    return [(one, clone / source.origin.name) for one, source in SOURCES.items()]


def _one(name: str, clone: Path, out: Path) -> bool:
    found = catalogue.convert(name, clone, out)
    print(told(found, out), flush=True)
    if not found.as_published:
        print(f"curvecast: {_other(found, clone)}", file=sys.stderr)
    return found.as_published


def told(found: Converted, out: Path) -> str:
    without = "; ".join(f"{n:,} {why} left out" for why, n in found.left_out.items())
    text = f"{out / found.origin.file}: {found.curves:,} curves, {found.points:,} points"
    return f"{text}{'; ' * bool(without)}{without}; {found.origin.licence}"


def _other(found: Converted, clone: Path) -> str:
    commit = found.origin.commit
    return (
        f"{found.origin.file} was written, but differs from the published table: "
        f"is {clone} complete, and at commit {commit[:10]}? git -C {clone} checkout {commit}"
    )
