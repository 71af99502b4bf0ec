"""From clones of public repositories to tables of real curves."""

import argparse
import sys
from pathlib import Path

from curvecast.curves.sources import catalogue, scaling_laws
from curvecast.curves.sources.catalogue import SOURCES
from curvecast.curves.sources.origin import Origin
from curvecast.ground.errors import demand

ALL = "all"
SCALING = "scaling_laws"  # whose table says of each point whether it is given


def listed() -> str:
    """What to clone: a line of facts a source, and below it the command."""
    lines = []
    origins = {name: origin for name, (origin, _) in SOURCES.items()} | {SCALING: scaling_laws.ORIGIN}
    for name, origin in origins.items():
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
    names = (ALL, *SOURCES, SCALING)
    demand(name in names, f"there is no source {name!r}: take one of {', '.join(names)}")
    if name == SCALING:
        return 0 if _scaling(options.clone, options.out) else 1
    clones = {name: options.clone}
    if name == ALL:
        clones = {one: options.clone / source.origin.name for one, source in SOURCES.items()}
    same = [_convert(one, clone, options.out) for one, clone in clones.items()]
    return 0 if all(same) else 1


def _convert(name: str, clone: Path, out: Path) -> bool:
    """Is it the published table?"""
    converted = catalogue.convert(name, clone, out)
    table = converted.origin.file
    left_out = [f"{n:,} {why} left out" for why, n in converted.left_out.items()]
    counted = f"{converted.curves:,} curves, {converted.points:,} points"
    print(f"{out / table}: {'; '.join([counted, *left_out, converted.origin.licence])}", flush=True)
    if not converted.as_published:
        _differs(converted.origin, clone)
    return converted.as_published


def _scaling(clone: Path, out: Path) -> bool:
    written, origin = scaling_laws.convert(clone, out), scaling_laws.ORIGIN
    counted = f"{written.curves:,} curves, {written.points:,} points, {written.repeated:,} of them twice"
    print(f"{out / origin.file}: {counted}; {origin.licence}", flush=True)
    if not written.as_published:
        _differs(origin, clone)
    return written.as_published


def _differs(origin: Origin, clone: Path) -> None:
    complete = (
        f"is {clone} complete, and at commit {origin.commit[:10]}? git -C {clone} checkout {origin.commit}"
    )
    other = f"{origin.file} was written, but differs from the published table"
    print(f"curvecast: {other}: {complete}", file=sys.stderr)
