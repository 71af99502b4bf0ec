"""A network that forecasts step by step: the same layers under a causal mask, trained on the next value, read on its own.

What it is told is what the PFN with an encoding is told, see _encoded.py. Only the mask, the level (the mean of what
came so far, for each token) and what is asked differ: each token is asked for the value that follows.

Shapes: B = curves, T = points seen, Q = points that follow, K = buckets.
"""

import torch
from torch import Tensor

from curvecast.bars import Bars, make_borders
from curvecast.batches import curves, seed_of
from curvecast.inputs import SD
from curvecast.layer import Sight
from curvecast.masks import mask
from curvecast.optimiser import MuonAdam
from curvecast.steps import make_optimiser, rate
from reproduce._encoded import Encoded, EncodedConfig, EncodedTraining


class Free(Encoded):
    """A decoder: every token reads itself and those before it, and says what follows."""

    def follow(self, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        """Epochs and values (B, T) -> what is found about each next value (B, T, d), and the level there (B, T)."""
        T = y.shape[1]
        level = y.cumsum(1) / torch.arange(1, T + 1)  # (B, T)
        told = self.inputs
        tokens = (
            told.x(told.of_x(x)) + told.y(told.of_y(y, level)) + told.level((level - 0.5)[..., None] / SD)
        )
        sight = Sight.of(x, x[:, :0], None, self.encoding, itself=False)
        causal = torch.zeros(T, T).masked_fill(~mask("causal", T), -torch.inf)
        sight = sight._replace(bias=causal[None, None] + (0.0 if sight.bias is None else sight.bias))
        if hasattr(self.encoding, "embed"):
            tokens = tokens + self.encoding.embed(x)
        for layer in self.layers:
            tokens = layer(tokens, sight, last=False)
        return self.norm(tokens), level

    def next_log_density(self, y: Tensor) -> Tensor:
        """Of y_2 .. y_T, each given the true values before it: (B, T) -> (B, T - 1)"""
        x = torch.arange(1.0, y.shape[1]).expand(len(y), -1)
        found, level = self.follow(x, y[:, :-1])
        return self.head.log_density(found, level, y[:, 1:])

    @torch.no_grad()
    def run_on(self, x: Tensor, y: Tensor) -> tuple[Tensor, Bars]:
        """After the values (B, T) it reads the medians that it wrote, at epochs x (B, T + Q).

        -> medians (B, Q), and the densities that they are medians of."""
        T = y.shape[1]
        for t in range(T, x.shape[1]):
            found, level = self.follow(x[:, :t], y)
            last = self.head(found[:, -1:], level[:, -1:])  # (B, 1, K)
            y = torch.cat([y, Bars(self.borders, last).quantile(0.5)], 1)
        found, level = self.follow(x[:, :-1], y[:, :-1])
        return y[:, T:], Bars(self.borders, self.head(found[:, T - 1 :], level[:, T - 1 :]))


class FreeTraining(EncodedTraining):
    """The same curves in the same order as for the PFN; of each, all next values at once."""

    net: Free

    def __init__(self, config: EncodedConfig):
        super().__init__(config)
        train = config.train
        torch.manual_seed(train.seed)
        self.net = Free(
            train.model, make_borders(train.bars, train.prior), config.encoding, config.fed
        ).train()
        self.parameters = list(self.net.parameters())
        self.optimiser = make_optimiser(train, self.net)

    def step(self, i: int) -> Tensor:
        for group, peak in zip(self.optimiser.param_groups, self.peaks, strict=True):
            group["lr"] = peak * rate(self.config, i, self.steps)
        torch.manual_seed(seed_of(self.config.seed, "scrambled", i))  # as the PFN's
        loss = -self.net.next_log_density(curves(self.config, i, "cpu")).mean()
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, self.config.clip)
        assert isinstance(self.optimiser, MuonAdam)
        self.optimiser.step()
        return loss.detach()


def train(config: EncodedConfig) -> tuple[Free, list[float]]:
    training = FreeTraining(config)
    losses = [training.step(i) for i in range(training.steps)]
    return training.net.eval(), torch.stack(losses).tolist()
