"""All sources that have a converter, in the order of the index."""

from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from curvecast.curves.sources import adabelief, algoperf, deepobs, lcdb11, modded_nanogpt, pythia, taskset
from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, kept, write
from curvecast.ground.errors import demand


class Source(NamedTuple):
    origin: Origin
    read: Callable[[Path], Iterator[Curve]]


SOURCES = {
    module.__name__.rpartition(".")[2]: Source(module.ORIGIN, module.read)
    for module in (taskset, algoperf, deepobs, lcdb11, adabelief, modded_nanogpt, pythia)
}
ORDER = [source.origin.file for source in SOURCES.values()]


class Converted(NamedTuple):
    origin: Origin
    curves: int
    points: int
    left_out: Counter[str]
    sha256: str

    @property
    def as_published(self) -> bool:
        """Is the table identical to the one behind the published numbers?"""
        return self.sha256 == self.origin.sha256


def convert(name: str, clone: Path, out: Path) -> Converted:
    demand(clone.is_dir(), f"there is no folder {clone}: {SOURCES[name].origin.to_clone}")
    origin, read = SOURCES[name]
    left_out: Counter[str] = Counter()
    curves = list(kept(read(clone), left_out))
    demand(curves, f"{clone} has no curve of {name} to keep: {origin.to_clone}")
    text = write(out, origin, curves, ORDER)
    n = sum(len(curve.points()) for curve in curves)
    return Converted(origin, len(curves), n, left_out, sha256(text).hexdigest())
