"""Dopamine: the return of four agents at 17 Atari games, the mean over five runs; the games are chosen by a hash."""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha1
from pathlib import Path
from statistics import fmean

from curvecast.curves.sources.origin import Origin
from curvecast.curves.sources.uniform_table import Curve, Measure

ORIGIN = Origin(
    file="dopamine_atari_return.csv.gz",
    source="dopamine_atari",
    licence="Apache-2.0",
    copyright="Copyright 2018 The Dopamine Authors",
    citation="dopamine",
    repository="google/dopamine",
    commit="5873f5494ee0c2d7c016d0ab2ad530354fec59d0",
    folder="baselines/atari/data",
    megabytes=70,
    sha256="6b93688f865f81da702ab6f079a53cde4051b2e116b170b06d30fb748ec216de",
)
AGENTS, RUNS = ("DQN", "C51", "Rainbow", "IQN"), 5
RETURN = Measure(
    "mean_return_over_runs", higher_is_better=True, step_unit="iterations of 1 million frames", low=None
)


def read(clone: Path) -> Iterator[Curve]:
    for path in ORIGIN.inside(clone, "*.json"):
        game = path.stem
        if game.isalpha() and int(sha1(f"atari-{game}".encode()).hexdigest(), 16) % 5 == 0:
            rows = ORIGIN.json(path)
            with ORIGIN.layout(path):
                for agent in AGENTS:
                    means = _means(rows, agent)
                    config = {"agent": agent, "game": game, "runs_averaged": RUNS}
                    yield Curve(
                        f"{game}/{agent}", list(means), list(means.values()), game, game, RETURN, config
                    )


def _means(rows: list[dict], agent: str) -> dict[int, float]:
    """By iteration; iterations that a run lacks are left out."""
    found = defaultdict(list)
    for row in rows:
        if row["Agent"] == agent:
            found[int(row["Iteration"])].append(row["Value"])
    return {step: fmean(values) for step, values in found.items() if len(values) == RUNS}
