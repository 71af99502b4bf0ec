"""The transformer as first published: an encoder reads the observed points, a decoder attends to them from epochs ahead.

    h = encoder(tokens)
    y = y + attend(y, y, causal),  y = y + attend(y, h),  y = y + feed(y)      norms before each

The recurrent pair of encoder_decoder.py passes on one state; here each epoch ahead attends to all observed points.

Shapes: B = curves, T = observed points, S = epochs ahead, d = width.
"""

from dataclasses import dataclass

from torch import Tensor, nn

from curvecast.networks.backbones.attention import Attention, padding_bias
from curvecast.networks.backbones.backbone import States, handed
from curvecast.networks.backbones.encoder_decoder import PLACES, epoch_features, epochs_ahead
from curvecast.networks.backbones.stack import FeedForward
from curvecast.networks.backbones.transformer import Transformer, TransformerConfig


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
