"""An autoencoder: an encoder to k numbers and a decoder back, trained to give curves back.

    c = V (x - m)                    coordinates along principal components, at most `coordinates` of them
    encode(x) = E c + bent(c / s)    a linear map, and a network that bends it; s: the spread of each coordinate
    decode(h) = m + (D h + bent(h)) V

It can start as the best linear code, principal components, with bent parts that are zero: what it gains over them is
gained by bending. Without bent parts it is the linear autoencoder. Trained from noisy curves to clean ones it is a
denoising autoencoder.

Shapes: n = curves, T = epochs, k = numbers of a code.
"""

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import Tensor, nn

from curvecast.latent.fit import OnCoordinates
from curvecast.latent.principal import Principal


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
