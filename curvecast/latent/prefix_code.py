"""The beginning of a curve as a short random code, from which alone later epochs are forecast.

    q(h | beginning)        normal; an encoder reads the observed points and the current level
    p(y | h, epoch)         a mixture of normals; the decoder sees the code and the epoch, and nothing else of the curve

`aim` says what a training minimises, per point of Q queried epochs, with h drawn from q:

    bottleneck   -log p(y | h, epoch) + beta / Q * KL(q(h | beginning) || standard normal)
                 the mean KL bounds from above how many nats the code keeps of the beginning (deep information bottleneck)
    elbo         the same with h drawn from q(h | beginning and queried points), and KL to q(h | beginning)
                 a conditional variational autoencoder: with beta = 1 minus a lower bound of log p(y | beginning)

A forecast averages p over codes drawn from q(h | beginning). In expectation its log is below that of infinitely many codes:
an importance-weighted bound, whose weights are all one.

Shapes: B = curves, T = observed points, Q = queries, d = width, k = numbers of a code, S = samples, K = buckets.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand
from curvecast.latent.variational import Normal, importance_weighted
from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.backbones.reader import observed_first
from curvecast.networks.heads import BEHAVIOUR as HEADS
from curvecast.networks.heads import MixtureHead
from curvecast.networks.inputs import Inputs

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give another density
AIMS = ("bottleneck", "elbo")


@dataclass(frozen=True)
class PrefixCodeConfig:
    code: int = 8  # k
    beta: float = 1.0
    aim: str = "bottleneck"
    backbone: Any = CausalCNNConfig(layers=6, hands="pooled")  # hands on two summaries
    width: int = 64  # d
    components: int = 5
    samples: int = 32  # S, in a forecast

    @property
    def label(self) -> str:
        return f"{self.aim}-{self.backbone.label}-{self.width}-{self.code}"

    def behaviour(self) -> dict[str, int]:
        of_backbone = {type(self.backbone).__name__: self.backbone.behaviour}
        return {"heads": HEADS, "prefix_code": BEHAVIOUR} | of_backbone

    def network(self, borders: Tensor) -> "PrefixCode":
        demand(self.aim in AIMS, f"PrefixCodeConfig.aim is {self.aim!r}: take {' or '.join(AIMS)}")
        return PrefixCode(self, borders)


class PrefixCode(nn.Module):
    random_stream = "code"

    def __init__(self, config: PrefixCodeConfig, borders: Tensor):
        super().__init__()
        d, k = config.width, config.code
        self.config = config
        self.borders: Tensor
        self.register_buffer("borders", borders)
        self.inputs = Inputs(d, rich=True)
        wide = [nn.Linear(d, 2 * d), nn.Linear(2 * d, d), nn.Linear(3 * d, d)]
        self.layers = nn.ModuleList([config.backbone.make(d), *wide])  # Muon trains the matrices below
        self.code = nn.Linear(d, 2 * k)
        self.of_code, self.of_epoch = nn.Linear(k, d), nn.Linear(3, d)
        self.level = nn.Linear(k, 1)
        self.norm = nn.LayerNorm(d)
        self.head = MixtureHead(d, config.components, borders)
        shares = torch.quasirandom.SobolEngine(k, scramble=True, seed=0).draw(config.samples)
        self.noise: Tensor
        noise = torch.special.ndtri(shares.clamp(1e-4, 1 - 1e-4))[:, None]
        self.register_buffer("noise", noise, persistent=False)

    def posterior(self, x: Tensor, y: Tensor, mask: Tensor | None = None) -> Normal:
        """q(h | points x, y), each (B, T)."""
        x, y, seen = observed_first(x, y, mask)
        newest = (x if seen is None else x * seen).amax(1, keepdim=True)
        level = self.inputs.stand(x, y, seen)
        tokens = self.inputs(x, y, newest, level)  # (B, T + 1, d); the last one says the level and when
        states, _ = self.layers[0](tokens[:, :-1], x, seen)  # (B, 2, d)
        return Normal.of(self.code(F.gelu(self.layers[3](torch.cat([states, tokens[:, -1:]], 1).flatten(1)))))

    def decoded(self, code: Tensor, x_query: Tensor) -> tuple[Tensor, Tensor]:
        """Codes (n, k), queries (n, Q) -> encoded queries (n, Q, d), and a level for each code (n, 1)"""
        h = F.gelu(self.of_code(code)[:, None] + self.of_epoch(self.inputs.of_x(x_query)))
        h = h + self.layers[2](F.gelu(self.layers[1](h)))
        return self.norm(h), 0.5 + self.level(code)

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of y_query (B, Q): what the loss is made of in a training, a lower bound in expectation in a forecast."""
        prior = self.posterior(x, y, mask)
        if not self.training:
            codes = prior.at(self.noise)
            bound = [self.head.log_density(*self.decoded(code, x_query), y_query) for code in codes]
            return importance_weighted(torch.stack(bound))
        if self.config.aim == "elbo":
            seen = torch.ones_like(x, dtype=torch.bool) if mask is None else mask
            pairs = ((x, x_query), (y, y_query), (seen, torch.ones_like(x_query) > 0))
            drawn_from = self.posterior(*(torch.cat(pair, 1) for pair in pairs))
            rate = drawn_from.rate(prior)
        else:
            drawn_from, rate = prior, prior.rate()
        code = drawn_from.at(torch.randn_like(prior.mean))
        price = self.config.beta * rate[:, None] / x_query.shape[1]
        return self.head.log_density(*self.decoded(code, x_query), y_query) - price

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """-> logits (B, Q, K), of the mean over codes"""
        codes = self.posterior(x, y, mask).at(self.noise)
        return importance_weighted(torch.stack([self.head(*self.decoded(code, x_query)) for code in codes]))
