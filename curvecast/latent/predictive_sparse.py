"""Predictive sparse decomposition: an encoder guesses the sparse code that ISTA would find, as a PFN guesses a posterior.

    cost = |x - h A|^2 / 2 + penalty * |h|_1 + |h - f(x)|^2 / 2        h: improved by ISTA from f(x), then held
    f(x) = shrink(B (x - m) , theta)                              B: a small network, with a threshold for each atom

Training alternates: better codes for a batch, then a step of atoms and encoder. Atoms have length one.

Shapes: n = curves, T = epochs, k = atoms.
"""

from dataclasses import dataclass
from itertools import islice

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import UserError
from curvecast.latent.autoencoder import layers
from curvecast.latent.principal import check
from curvecast.latent.sparse import cost, ista, shrink


@dataclass(frozen=True)
class SparseConfig:
    atoms: int = 48  # k
    penalty: float = 0.02
    improved: int = 10  # steps of ISTA on each batch
    width: int = 128  # of the encoder's hidden layer

    def network(self, mean: Tensor) -> "PredictiveSparse":
        if self.atoms < 1 or self.penalty < 0 or self.improved < 0:
            raise UserError(f"{self}: at least one atom, and no negative numbers")
        return PredictiveSparse(self, mean)


class PredictiveSparse(nn.Module):
    mean: Tensor

    def __init__(self, config: SparseConfig, mean: Tensor):
        super().__init__()
        self.config, self.epochs = config, len(mean)
        self.register_buffer("mean", mean)
        self.free = nn.Parameter(torch.randn(config.atoms, self.epochs, dtype=mean.dtype).cumsum(1))
        self.guess = layers(self.epochs, config.width, config.atoms)
        self.threshold = nn.Parameter(torch.full((config.atoms,), -4.0, dtype=mean.dtype))

    @property
    def atoms(self) -> Tensor:
        return F.normalize(self.free, dim=1)  # (k, T)

    def encode(self, x: Tensor) -> Tensor:
        """The guess, without a step of ISTA."""
        return shrink(self.guess(check(x, self.epochs) - self.mean), F.softplus(self.threshold))

    def decode(self, code: Tensor) -> Tensor:
        return self.mean + code @ self.atoms

    @torch.no_grad()
    def improve(self, x: Tensor, start: Tensor, steps: int) -> Tensor:
        return next(islice(ista(x - self.mean, self.atoms, self.config.penalty, start), steps, None))

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        guess = self.encode(x)
        code = self.improve(x, guess.detach(), self.config.improved)
        missed = (guess - code).square().sum(-1) / 2
        return (cost(target - self.mean, code, self.atoms, self.config.penalty) + missed).mean()
