"""Two other transformers at the size of a port, without its faults, and of one number an epoch as well."""

import torch
from torch import Tensor, nn

from curvecast.networks.inputs import SD
from curvecast.networks.masks import mask
from curvecast.networks.model import ModelConfig
from curvecast.networks.port import Port
from reproduce.porting.porting.old_port import OldPort


class OneShot(nn.Module):
    """An encoder that forecasts all later epochs at once: LC-PFN in stock layers, with one output."""

    def __init__(self, port: OldPort):
        super().__init__()
        config = ModelConfig(
            port.width, port.layers, port.heads, port.expand, "post", port.dropout, "paper", "bars"
        )
        self.net = Port(config, buckets=1)

    def forward(self, y: Tensor, cutoff: int) -> Tensor:  # (B, >= c) -> (B, T - c)
        return self.ask(y[:, :cutoff], y.shape[1])

    def roll(self, y: Tensor, cutoff: int, length: int, group: int | None = None) -> Tensor:
        return self.ask(y[:, :cutoff], length)

    def ask(self, y: Tensor, length: int) -> Tensor:
        x = torch.arange(1.0, length + 1, device=y.device).expand(len(y), -1)
        return self.net(x[:, : y.shape[1]], y, x[:, y.shape[1] :])[..., 0]


class EncoderDecoder(nn.Module):
    """Half of the layers read the observed points, the other half forecast the rest one after the other."""

    def __init__(self, port: OldPort):
        super().__init__()
        d, half = port.width, port.layers // 2
        self.x, self.y, self.out = nn.Linear(1, d), nn.Linear(1, d), nn.Linear(d, 1)
        self.stack = nn.Transformer(
            d, port.heads, half, half, port.expand * d, port.dropout, batch_first=True
        )

    def forward(self, y: Tensor, cutoff: int) -> Tensor:
        """Teacher forcing: whole curves (B, T) -> what comes at each epoch after the cutoff (B, T - c)."""
        seen, read = self.tokens(y[:, :cutoff], 0), self.tokens(y[:, cutoff - 1 : -1], cutoff - 1)
        hidden = ~mask("causal", read.shape[1]).to(y.device)
        return self.out(self.stack(seen, read, tgt_mask=hidden))[..., 0]

    def roll(self, y: Tensor, cutoff: int, length: int, group: int | None = None) -> Tensor:
        """On its own forecasts: (B, c) -> (B, T - c)"""
        for _ in range(length - cutoff):
            following = torch.cat([y, y[:, -1:]], 1)  # the last place is never read
            y = torch.cat([y, self(following, cutoff)[:, -1:]], 1)
        return y[:, cutoff:]

    def tokens(self, y: Tensor, first: int) -> Tensor:
        x = torch.arange(first + 1.0, first + y.shape[1] + 1, device=y.device)
        return self.x(((x / 101 - 0.5) / SD)[:, None]) + self.y(((y - 0.5) / SD)[..., None])
