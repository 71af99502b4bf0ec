"""A structural causal model of training runs: a random graph makes the settings of a run and its curve.

Four nodes are settings that people choose or measure, five say how the curve goes, and the others are hidden. A node is
a function of its parents and of its own noise, so to set a node by hand (`do`) moves its descendants, and nothing else.
Shapes: n runs, N nodes in causal order, T epochs.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import NamedTuple

import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.other_priors.exact_predictive import with_noise
from curvecast.curves.prior import Curves
from curvecast.ground.errors import demand

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves

SETTINGS = ("capacity", "rate", "data", "noise")
CURVE = ("start", "end", "speed", "sharpness", "roughness")
Do = Mapping[str, float] | None  # values of nodes that are set by hand
FUNCTIONS = (lambda z: z, torch.tanh, torch.relu, torch.sin, lambda z: 1 - z.square().clamp(max=9))


class Runs(NamedTuple):
    values: dict[str, Tensor]  # (n,) of each node
    curves: Curves


class Graph:
    """Parents by node, {"end": ("rate", "capacity"), ...}: mechanisms are drawn by the generator."""

    def __init__(self, parents: Mapping[str, Iterable[str]], generator: Generator):
        self.order = tuple(TopologicalSorter(parents).static_order())  # causes first
        draw = Draw(generator)
        self.parents = {name: tuple(parents.get(name, ())) for name in self.order}
        self.weights = {name: draw.normal(0, 1, len(some)) for name, some in self.parents.items() if some}
        functions = draw.uniform(0, len(FUNCTIONS), len(self.order)).long().tolist()
        self.functions = dict(zip(self.order, functions, strict=True))
        own = draw.uniform(0.1, 0.7, len(self.order)).tolist()  # share of a node's variance that is its own
        self.own = dict(zip(self.order, own, strict=True))

    def values(self, n: int, generator: Generator, do: Do = None) -> dict[str, Tensor]:
        """Of each node (n,). The noise of a node is drawn whether it is set by hand or not: its kin stay as they are."""
        do, draw = do or {}, Draw(generator)
        strange = [name for name in do if name not in self.order]
        demand(not strange, f"the graph has no node {', '.join(strange)}: there are {', '.join(self.order)}")
        values: dict[str, Tensor] = {}
        for name in self.order:
            own = draw.normal(0, 1, n)
            if name in do:
                values[name] = torch.full_like(own, do[name])
            elif self.parents[name]:
                causes = torch.stack([values[parent] for parent in self.parents[name]], 1)  # (n, parents)
                pull = causes @ self.weights[name].to(causes.dtype) / math.sqrt(causes.shape[1])
                felt = FUNCTIONS[self.functions[name]](pull)
                values[name] = math.sqrt(1 - self.own[name]) * felt + math.sqrt(self.own[name]) * own
            else:
                values[name] = own
        return values

    def runs(self, n: int, length: int, generator: Generator, do: Do = None) -> Runs:
        values = self.values(n, generator, do)
        return Runs(values, curves(values, length, Draw(generator)))


def curves(values: Mapping[str, Tensor], length: int, draw: Draw) -> Curves:
    """A power law of the epoch from a start to an end, each between 0 and 1.  n values of each node -> (n, T)"""
    start, end, speed, sharpness, roughness = (values[name][:, None].clamp(-4, 4) for name in CURVE)  # (n, 1)
    x = torch.arange(1.0, length + 1, dtype=end.dtype, device=end.device)
    goal = (1 + 1.5 * end).sigmoid()
    begin = goal * start.sigmoid()
    missing = (1 + (x - 1) / (1 + 1.5 * speed).exp()) ** -(0.7 * sharpness).exp()  # 1 at the first epoch
    return with_noise(goal - (goal - begin) * missing, (roughness[:, 0] - 4).exp(), draw)


@dataclass(frozen=True)
class CausalGraphs:
    length: int = 100
    nodes: tuple[int, int] = (9, 40)  # of a graph, log-uniform
    arrows: tuple[float, float] = (0.1, 0.6)  # chance that an earlier node is a parent
    runs: int = 16  # of one graph

    def behaviour(self) -> dict[str, int]:
        return {"causal_graph": BEHAVIOUR}

    def graph(self, generator: Generator) -> Graph:
        """Hidden nodes lie anywhere; settings come before what they may change."""
        draw = Draw(generator)
        log_nodes, chance = draw.uniform(0, 1, 2).tolist()
        low, high = math.log(self.nodes[0]), math.log(self.nodes[1] + 1)
        nodes = int(math.exp(low + log_nodes * (high - low)))
        hidden = [f"hidden {i}" for i in range(nodes - len(SETTINGS + CURVE))]
        place = dict(zip(SETTINGS, (0.6 * draw.uniform(0, 1, 4)).tolist(), strict=True))
        place |= dict(zip(CURVE, (0.5 + 0.5 * draw.uniform(0, 1, 5)).tolist(), strict=True))
        place |= dict(zip(hidden, draw.uniform(0, 1, len(hidden)).tolist(), strict=True))
        order = sorted(place, key=place.__getitem__)
        chance = self.arrows[0] + chance * (self.arrows[1] - self.arrows[0])
        arrows = (draw.uniform(0, 1, len(order) ** 2).view(len(order), -1) < chance).tolist()
        parents = {
            name: [cause for cause, arrow in zip(order[:i], arrows[i], strict=False) if arrow]
            for i, name in enumerate(order)
        }
        return Graph(parents, generator)

    def sample(self, n: int, generator: Generator) -> Curves:
        """Runs of many graphs, in random order."""
        count = -(-n // self.runs)
        some = [self.graph(generator).runs(self.runs, self.length, generator).curves for _ in range(count)]
        order = Draw(generator).uniform(0, 1, len(some) * self.runs).argsort()[:n]
        return Curves(*(torch.cat(parts)[order] for parts in zip(*some, strict=True)))
