"""Any sequence model as a forecaster: a backbone reads the observed beginning, and a common head predicts.

    tokens  (B, T, d)  epoch and value of each observed point, as in the PFN
    states  (B, S, d)  output of the backbone: one summary (S = 1), or a state for each point (S = T)
    encoded (B, Q, d)  each query, given its epoch, attends to the states: one layer
    density            a mixture, as in the PFN

So the rows of a table differ only in their backbones. All backbones are given the level of the curve, relative to which
the head predicts. Masked points are removed before the backbone reads the curve.

Shapes: B = curves, T = observed points, S = states, Q = queries, d = width, K = buckets.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.config import later
from curvecast.ground.errors import UserError
from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.backbones.deltanet import DeltaNetConfig, RWKV7Config
from curvecast.networks.backbones.encoder_decoder import EncoderDecoderConfig, TransformerPairConfig
from curvecast.networks.backbones.linear_attention import LinearAttentionConfig
from curvecast.networks.backbones.mamba import Mamba2Config, MambaConfig
from curvecast.networks.backbones.recurrent import ElmanConfig, GRUConfig, LSTMConfig, MinGRUConfig
from curvecast.networks.backbones.s4 import H3Config, S4Config
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.backbones.xlstm import XLSTMConfig
from curvecast.networks.heads import BEHAVIOUR as HEADS
from curvecast.networks.heads import Answers, MixtureHead, SpreadHead
from curvecast.networks.inputs import Inputs, SpreadInputs
from curvecast.networks.layer import Layer, Visibility

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give another density


@dataclass(frozen=True)
class ReaderConfig:
    backbone: Any  # the config of a family: see stack
    width: int = 64  # d
    heads: int = 2  # of the attention of the queries
    components: int = 10
    features: str = later("epochs")  # "spread": also in units of the curve's own spread, as in the PFN

    def __post_init__(self) -> None:
        if self.features not in ("epochs", "spread"):
            raise UserError(f"ReaderConfig.features is {self.features!r}: take one of epochs, spread")
        if self.width < 1 or self.width % self.heads:
            raise UserError(f"ReaderConfig.width {self.width} must be a multiple of heads {self.heads}")

    @property
    def label(self) -> str:
        return f"{self.backbone.label}-{self.width}"

    def behaviour(self) -> dict[str, int]:
        return {"heads": HEADS, "reader": BEHAVIOUR, type(self.backbone).__name__: self.backbone.behaviour}

    def state_size(self, length: int) -> int:
        """Numbers that it keeps of a curve, with its level (and its spread)."""
        return self.backbone.state_size(self.width, length) + (2 if self.features == "spread" else 1)

    def network(self, borders: Tensor) -> "Reader":
        return Reader(self, borders)


class Reader(Answers):
    random_stream = ""

    def __init__(self, config: ReaderConfig, borders: Tensor):
        super().__init__()
        d = config.width
        self.config = config
        self.borders: Tensor
        self.register_buffer("borders", borders)
        uses_spread = config.features == "spread"
        self.inputs = SpreadInputs(d) if uses_spread else Inputs(d, rich=True)
        answer = Layer(d, config.heads, 2, 0.0, norm_first=True, queries_see_themselves=False)
        # Muon trains the matrices below `layers`
        self.layers = nn.ModuleList([config.backbone.make(d), answer])
        self.norm = nn.LayerNorm(d)
        self.head = (SpreadHead if uses_spread else MixtureHead)(d, config.components, borders)

    def read(
        self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        x, y, seen = observed_first(x, y, mask)
        stand = self.inputs.stand(x, y, seen)
        tokens, queries = self.inputs(x, y, x_query, stand).split([x.shape[1], x_query.shape[1]], 1)
        backbone, answer = self.layers
        states, known = backbone(tokens, x, seen)
        B, S, _ = states.shape
        visibility = Visibility.of(x.new_zeros(B, S), x_query, known, None, itself=False)
        encoded = answer(torch.cat([states, queries], 1), visibility, last=True)
        return self.norm(encoded), stand


def observed_first(x: Tensor, y: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor, Tensor | None]:
    """Masked points move to the end, with harmless values in place of NaN."""
    if mask is None or bool(mask.all()):
        return x, y, None
    if not bool(mask.any(1).all()):
        raise UserError("a curve without a single observed point cannot be forecast: leave it out")
    order = mask.int().argsort(dim=1, descending=True, stable=True)
    x, y = torch.where(mask, x, 1.0).gather(1, order), torch.where(mask, y, 0.0).gather(1, order)
    longest = int(mask.sum(1).max())
    return x[:, :longest], y[:, :longest], mask.gather(1, order)[:, :longest]


# -----------------------------------------------------------------------------------------------------------
# Every backbone by the name that tables use.
#
# The blocks of three large language models are settings of one block, without a vocabulary:
#
#     PaLM    parallel layers, SwiGLU, one key and value for all heads, RoPE, no biases    faster training and decoding
#     LaMDA   gated GELU, T5's bias by distance                                           better at equal size
#     LLaMA   RMSNorm before each layer, SwiGLU, RoPE, no biases                          the same, and more stable

FAMILIES: dict[str, Any] = {
    "Elman": ElmanConfig(),
    "Elman, stacked": ElmanConfig(layers=4),
    "Elman, both ways": ElmanConfig(layers=2, both_ways=True),
    "Elman, two layers": ElmanConfig(layers=2),
    "LSTM": LSTMConfig(layers=2),
    "LSTM, all states": LSTMConfig(layers=2, hands="all"),
    "GRU": GRUConfig(layers=2),
    "minGRU": MinGRUConfig(),
    "encoder–decoder": EncoderDecoderConfig(),
    "encoder–decoder, attention": EncoderDecoderConfig(attends=True),
    "CNN": CausalCNNConfig(),
    "CNN, pooled": CausalCNNConfig(hands="pooled"),
    "transformer, encoder": TransformerConfig(heads=2),
    "transformer, decoder": TransformerConfig(heads=2, causal=True, position="rope", name="decoder"),
    "transformer, both": TransformerPairConfig(heads=2),
    "PaLM block": TransformerConfig(
        heads=4,
        kv_heads=1,
        feed="swiglu",
        parallel=True,
        bias=False,
        position="rope",
        causal=True,
        name="palm",
    ),
    "LaMDA block": TransformerConfig(heads=2, feed="geglu", position="t5", causal=True, name="lamda"),
    "LLaMA block": TransformerConfig(
        heads=2, feed="swiglu", norm="rms", bias=False, position="rope", causal=True, name="llama"
    ),
    "S4": S4Config(begin="lin"),
    "S4, HiPPO": S4Config(),
    "H3": H3Config(),
    "H3, attention": H3Config(states=24, heads=2),
    "Mamba": MambaConfig(),
    "Mamba, last state": MambaConfig(hands="last"),
    "Mamba-2": Mamba2Config(),
    "linear attention": LinearAttentionConfig(),
    "DeltaNet": DeltaNetConfig(),
    "xLSTM": XLSTMConfig(),
    "RWKV-7": RWKV7Config(heads=6),
}
