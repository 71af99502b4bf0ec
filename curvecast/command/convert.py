"""From clones of public repositories to tables of real curves."""

import argparse
import sys
from pathlib import Path

from curvecast.curves.sources import catalogue, scaling_laws
from curvecast.curves.sources.catalogue import SOURCES
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
    clones = {name: options.clone}
    if name == ALL:
        clones = {one: options.clone / source.origin.name for one, source in SOURCES.items()}
    same = [_convert(one, clone, options.out) for one, clone in clones.items()]
    return 0 if all(same) else 1


def _convert(name: str, clone: Path, out: Path) -> bool:
    """Is it the published table?"""
    if name == SCALING:
        origin, written = scaling_laws.ORIGIN, scaling_laws.convert(clone, out)
        told = [f"{written.curves:,} curves, {written.points:,} points, {written.repeated:,} of them twice"]
        as_published = written.as_published
    else:
        origin, converted = SOURCES[name].origin, catalogue.convert(name, clone, out)
        told = [f"{converted.curves:,} curves, {converted.points:,} points"]
        told += [f"{n:,} {why} left out" for why, n in converted.left_out.items()]
        as_published = converted.as_published
    print(f"{out / origin.file}: {'; '.join([*told, origin.licence])}", flush=True)
    if not as_published:
        other = f"{origin.file} was written, but differs from the published table"
        complete = f"is {clone} complete, and at commit {origin.commit[:10]}?"
        checkout = f"git -C {clone} checkout {origin.commit}"
        print(f"curvecast: {other}: {complete} {checkout}", file=sys.stderr)
    return as_published
