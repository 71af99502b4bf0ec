"""A curve is a random network of the logarithm of the epoch: a Bayesian neural network before it has seen data.

Depth, width and scale of the weights are drawn for each curve, then all weights. Rejection and noise are as in the paper.
Shapes: n curves, T epochs, W = units of the widest network.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from curvecast.curves.counter import Draw, Generator
from curvecast.curves.laws.growth import Dice
from curvecast.curves.other_priors.exact_predictive import accepted
from curvecast.curves.prior import Curves

BEHAVIOUR = 1  # raise by hand when the same generator gives other curves


@dataclass(frozen=True)
class RandomNetwork:
    length: int = 100
    depth: int = 3  # hidden layers, at most
    width: tuple[int, int] = (2, 16)  # units of a hidden layer, log-uniform
    scale: tuple[float, float] = (0.5, 4.0)  # of weights and biases, log-uniform
    height: tuple[float, float] = (0.05, 1.0)  # of what the network adds to the level, log-uniform
    log_sigma_mean: float = -4.0
    log_sigma_sd: float = 1.0

    def behaviour(self) -> dict[str, int]:
        return {"random_network": BEHAVIOUR}

    def sample(self, n: int, generator: Generator) -> Curves:
        draw = Draw(generator)
        noise, propose = (self.log_sigma_mean, self.log_sigma_sd), partial(self._propose, generator=generator)
        return accepted("random networks", propose, n, self.length, draw, noise)

    def _propose(self, n: int, generator: Generator) -> Callable[[Tensor, Tensor], Tensor]:
        dice, draw = Dice(n, generator), Draw(generator)
        W = self.width[1]
        depth = dice.uniform(1, self.depth + 1).floor()[..., None]  # (n, 1, 1)
        width = dice.log_uniform(*self.width).round()
        there = (torch.arange(W, device=width.device) < width).to(width.dtype)  # (n, W) units of the network
        scale = dice.log_uniform(*self.scale)
        level, height = dice.uniform(0, 1), dice.log_uniform(*self.height)
        first, bias = (scale * draw.normal(0, 1, n, W) * there for _ in range(2))
        per = (scale / width.sqrt())[..., None]  # (n, 1, 1): sums of any width are alike in size
        deeper = [per * draw.normal(0, 1, n, W, W) * there[:, None] for _ in range(self.depth - 1)]
        biases = [scale * draw.normal(0, 1, n, W) * there for _ in deeper]
        out = draw.normal(0, 1, n, W) * there / width.sqrt()

        def f(x: Tensor, rows: Tensor) -> Tensor:
            t = 2 * x.log() / math.log(self.length) - 1  # (T,) from -1 to 1
            h = (first[rows, None] * t[:, None] + bias[rows, None]).tanh()  # (m, T, W)
            for number, (weights, offset) in enumerate(zip(deeper, biases, strict=True), 2):
                deep = torch.baddbmm(offset[rows, None], h, weights[rows]).tanh()
                h = torch.where(depth[rows] >= number, deep, h)
            return level[rows] + height[rows] * torch.einsum("ntw,nw->nt", h, out[rows])

        return f
