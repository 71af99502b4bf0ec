"""An autoencoder: an encoder to k numbers and a decoder back, trained to give curves back, contractive or not.

    c = V (x - m)                    coordinates along principal components, at most `coordinates` of them
    encode(x) = E c + bent(c / s)    a linear map, and a network that bends it; s: the spread of each coordinate
    decode(h) = m + (D h + bent(h)) V

It can start as the best linear code, principal components, with bent parts that are zero: what it gains over them is
gained by bending. Without bent parts it is the linear autoencoder. Trained from noisy curves to clean ones it is a
denoising autoencoder.

Shapes: n = curves, T = epochs, k = numbers of a code, or units.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from curvecast.latent.fit import OnCoordinates, Principal


@dataclass(frozen=True)
class AutoencoderConfig:
    code: int = 3  # k
    width: int = 96  # of hidden layers; 0: linear
    layers: int = 2  # hidden ones, in the encoder and in the decoder
    start: str = "principal"  # or "random"

    def network(self, basis: Principal) -> "Autoencoder":
        return Autoencoder(self, basis)


class Autoencoder(OnCoordinates):
    def __init__(self, config: AutoencoderConfig, basis: Principal):
        super().__init__(basis)
        r, k = len(basis.directions), config.code
        self.config = config
        self.into, self.back = nn.Linear(r, k, bias=False), nn.Linear(k, r, bias=False)
        self.bent_in, self.bent_back = bent(r, k, config), bent(k, r, config)
        if config.start == "principal":
            with torch.no_grad():
                self.into.weight.copy_(torch.diag(1 / basis.spread)[:k])
                self.back.weight.copy_(torch.diag(basis.spread)[:, :k])

    def encode(self, x: Tensor) -> Tensor:
        c = self.coordinates(x)
        return self.into(c) + (self.bent_in(torch.asinh(c / self.spread)) if self.bent_in else 0)

    def decode(self, code: Tensor) -> Tensor:
        c = self.back(code)
        if self.bent_back:
            c = c + self.spread[0] * self.bent_back(torch.asinh(code))
        return self.curve(c)

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        return (self.decode(self.encode(x)) - target).square().mean()


def bent(inputs: int, outputs: int, config: AutoencoderConfig) -> nn.Sequential | None:
    """A network that starts as zero."""
    if not config.width:
        return None
    net = layers(inputs, *[config.width] * config.layers, outputs)
    for parameter in net[-1].parameters():
        nn.init.zeros_(parameter)
    return net


def layers(*sizes: int) -> nn.Sequential:
    parts: list[nn.Module] = []
    for wide, units in pairwise(sizes):
        parts += [nn.Linear(wide, units), nn.SiLU()]
    return nn.Sequential(*parts[:-1])


# -----------------------------------------------------------------------------------------------------------
# A contractive autoencoder: its code should move little when the curve moves a little.
#
#     h = tanh(W x + b),  x' = W' h + c        x: less its mean, over its scale
#                                       tied weights: a large decoder cannot undo a small encoder
#     loss = |x' - x|^2 / T + weight * |dh/dx|^2      the squared Frobenius norm of the Jacobian: sum of (1 - h^2)^2 |w|^2
#
# The code keeps moving along directions in which curves differ, since the loss needs them, and in no others: so many large
# singular values has its Jacobian as curves have parameters.


class Contractive(nn.Module):
    mean: Tensor

    def __init__(self, mean: Tensor, units: int, weight: float, scale: float = 1.0):
        """`mean` (T,) and `scale` of curves, their standard deviation say."""
        super().__init__()
        self.weight, self.scale = weight, scale
        self.register_buffer("mean", mean)
        self.wide = nn.Linear(len(mean), units)
        self.shift = nn.Parameter(torch.zeros(len(mean)))

    def encode(self, x: Tensor) -> Tensor:
        return torch.tanh(self.wide((x - self.mean) / self.scale))

    def decode(self, code: Tensor) -> Tensor:
        return self.mean + self.scale * (code @ self.wide.weight + self.shift)

    def penalty(self, code: Tensor) -> Tensor:
        """The squared Frobenius norm of each curve's Jacobian, in units of the scale.  (n, k) -> (n,)"""
        return (1 - code.square()).square() @ self.wide.weight.square().sum(1)

    def loss(self, x: Tensor, target: Tensor) -> Tensor:
        code = self.encode(x)
        error = ((self.decode(code) - target) / self.scale).square().mean()
        return error + self.weight * self.penalty(code).mean()


# -----------------------------------------------------------------------------------------------------------
# How a map bends space: its Jacobian at each curve, the spectrum of it, and the directions in which it moves.
#
# Shapes: n = curves, a = inputs of the map, b = its outputs, k = directions.


def jacobians(of: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Of a map from (n, a) to (n, b) that treats each row alone.  -> (n, b, a)"""

    leaf = at.detach().requires_grad_()
    outputs = of(leaf).sum(0)  # each row depends on its own input alone, so the sum keeps gradients apart
    rows = [torch.autograd.grad(output, leaf, retain_graph=True)[0] for output in outputs]
    return torch.stack(rows, 1)


def spectrum(of: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """Singular values of the Jacobian at each row, the largest first.  -> (n, min(a, b))"""
    return torch.linalg.svdvals(jacobians(of, at))


def tangents(decode: Callable[[Tensor], Tensor], code: Tensor) -> Tensor:
    """Directions in which a decoded curve moves with each number of its code.  (n, k) -> (n, k, T)"""
    return jacobians(decode, code).mT
