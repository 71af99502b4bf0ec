"""Sequence to sequence: an encoder reads the observed points, a decoder continues from its last state, epoch by epoch.

    s_0 = h_T                            the only link without attention
    s_k = cell([a_k, c_k], s_{k-1})      a_k: the k-th epoch ahead;  c_k: output of attention, if there is any

Epochs ahead are evenly spaced in the logarithm. Without attention a curve of any length must fit into h_T; with it the
decoder attends to h_1 ... h_T at each step. The head then reads the decoder's states.

Shapes: B = curves, T = observed points, S = epochs ahead, d = width.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.attention import Attention, padding_bias
from curvecast.networks.backbones.recurrent import GRU, unroll
from curvecast.networks.backbones.stack import FeedForward, States, handed, last
from curvecast.networks.backbones.transformer import Transformer, TransformerConfig

PLACES = 12  # S
REACH = 64  # the farthest epoch ahead, as a multiple of the last observed one


@dataclass(frozen=True)
class EncoderDecoderConfig:
    layers: int = 1  # of the encoder
    attends: bool = False

    behaviour = 1
    causal = False  # its states belong to future epochs
    hands = "all"

    @property
    def label(self) -> str:
        return f"seq2seq-{self.layers}{'-attention' if self.attends else ''}"

    def state_size(self, width: int, length: int) -> int:
        """The decoder's states for the head; to read on, the encoder's last, or all of them for attention."""
        read = length if self.attends else 1
        return width * (PLACES + (self.layers - 1) + read)

    def make(self, width: int) -> "EncoderDecoder":
        return EncoderDecoder(width, self.layers, self.attends)


def epochs_ahead(x: Tensor, seen: Tensor | None) -> Tensor:
    """(B, T) -> (B, S), after the last observed epoch"""
    newest = (x if seen is None else torch.where(seen, x, 0.0)).amax(1, keepdim=True)
    share = torch.arange(1, PLACES + 1, device=x.device, dtype=x.dtype) / PLACES
    return newest * REACH**share


def epoch_features(x: Tensor) -> Tensor:
    """(B, S) -> (B, S, 2)"""
    return torch.stack([x.log() - 3.6, 4 / x - 0.2], -1)


class LookBack(nn.Module):
    """Additive attention of the decoder's state to the encoder's: v' tanh(W s + U h_t), softmax over t."""

    def __init__(self, width: int):
        super().__init__()
        self.asks, self.says = nn.Linear(width, width), nn.Linear(width, width, bias=False)  # W, U
        self.score = nn.Linear(width, 1, bias=False)  # v

    def weights(self, s: Tensor, keys: Tensor, seen: Tensor | None) -> Tensor:
        """State (B, d), U h (B, T, d) -> (B, T), which sum to 1"""
        score = self.score((self.asks(s)[:, None] + keys).tanh())[..., 0]
        return (score if seen is None else score.masked_fill(~seen, -torch.inf)).softmax(-1)


class EncoderDecoder(nn.Module):
    def __init__(self, width: int, layers: int, attends: bool):
        super().__init__()
        self.encoder = nn.ModuleList(GRU(width) for _ in range(layers))
        self.ahead = nn.Linear(2, width)
        self.look = LookBack(width) if attends else None
        self.join = nn.Linear(2 * width, width) if attends else None
        self.decoder = GRU(width)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        h = tokens
        for cell in self.encoder:
            h = unroll(cell, h)  # (B, T, d)
        s = last(h, seen)[:, 0]  # (B, d)
        places = self.ahead(epoch_features(epochs_ahead(x, seen)))  # (B, S, d)
        keys = None if self.look is None else self.look.says(h)
        states = []
        for a in places.unbind(1):
            if self.look is not None and self.join is not None and keys is not None:
                weights = self.look.weights(s, keys, seen)
                c = (weights[:, None] @ h)[:, 0]  # (B, d)
                a = self.join(torch.cat([a, c], -1))
            (s,) = self.decoder.step(self.decoder.new(a), (s,))
            states.append(s)
        return States(torch.stack(states, 1))  # (B, S, d)


# -----------------------------------------------------------------------------------------------------------
# The transformer as first published: an encoder reads the observed points, a decoder attends to them from epochs ahead.
#
#     h = encoder(tokens)
#     y = y + attend(y, y, causal),  y = y + attend(y, h),  y = y + feed(y)      norms before each
#
# The recurrent pair passes on one state; here each epoch ahead attends to all observed points.


@dataclass(frozen=True)
class TransformerPairConfig:
    layers: int = 1  # of encoder and decoder each
    heads: int = 4

    behaviour = 1
    causal = False
    hands = "all"

    @property
    def label(self) -> str:
        return f"transformer-pair-{self.layers}"

    def state_size(self, width: int, length: int) -> int:
        return handed("all", width, PLACES)

    def make(self, width: int) -> "TransformerPair":
        return TransformerPair(width, self.layers, self.heads)


class TransformerPair(nn.Module):
    def __init__(self, width: int, layers: int, heads: int):
        super().__init__()
        self.encoder = Transformer(TransformerConfig(layers, heads), width)
        self.ahead = nn.Linear(2, width)
        self.decoder = nn.ModuleList(DecoderBlock(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens: Tensor, x: Tensor, seen: Tensor | None) -> States:
        h, _ = self.encoder(tokens, x, seen)  # (B, T, d)
        places = epochs_ahead(x, seen)  # (B, S)
        y = self.ahead(epoch_features(places))  # (B, S, d)
        padding = padding_bias(seen, h)
        for block in self.decoder:
            y = block(y, h, places, x, padding)
        return States(self.norm(y))


class DecoderBlock(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.attend, self.read = Attention(width, heads), Attention(width, heads)
        self.feed = FeedForward("gelu", width)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(width) for _ in range(3))

    def forward(self, y: Tensor, h: Tensor, places: Tensor, x: Tensor, padding: Tensor | None) -> Tensor:
        """Epochs ahead (B, S, d) attend to one another and to the encoder's states h (B, T, d)."""
        normed = self.norm1(y)
        y = y + self.attend(normed, normed, places, places, causal=True)
        y = y + self.read(self.norm2(y), h, places, x, padding)
        return y + self.feed(self.norm3(y))
