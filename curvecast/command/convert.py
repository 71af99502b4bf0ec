"""From clones of public repositories to tables of real curves."""

import argparse
import sys
from pathlib import Path

from curvecast.curves.sources import catalogue
from curvecast.curves.sources.catalogue import SOURCES
from curvecast.ground.errors import demand

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
    demand(options.out, "convert needs SOURCE, CLONE and OUT, or --list; see curvecast convert --help")
    known = name in (ALL, *SOURCES)
    demand(known, f"there is no source {name!r}: take {ALL} or one of {', '.join(SOURCES)}")
    clones = {name: options.clone}
    if name == ALL:
        clones = {one: options.clone / source.origin.name for one, source in SOURCES.items()}
    same = [_convert(one, clone, options.out) for one, clone in clones.items()]
    return 0 if all(same) else 1


def _convert(name: str, clone: Path, out: Path) -> bool:
    """Is it the published table?"""
    converted = catalogue.convert(name, clone, out)
    table, commit = converted.origin.file, converted.origin.commit
    left_out = [f"{n:,} {why} left out" for why, n in converted.left_out.items()]
    counted = f"{converted.curves:,} curves, {converted.points:,} points"
    print(f"{out / table}: {'; '.join([counted, *left_out, converted.origin.licence])}", flush=True)
    if not converted.as_published:
        complete = f"is {clone} complete, and at commit {commit[:10]}? git -C {clone} checkout {commit}"
        other = f"{table} was written, but differs from the published table"
        print(f"curvecast: {other}: {complete}", file=sys.stderr)
    return converted.as_published
