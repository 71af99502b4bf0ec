"""Every backbone by the name that tables use.

The blocks of three large language models are settings of one block, without a vocabulary:

    PaLM    parallel layers, SwiGLU, one key and value for all heads, RoPE, no biases    faster training and decoding
    LaMDA   gated GELU, T5's bias by distance                                           better at equal size
    LLaMA   RMSNorm before each layer, SwiGLU, RoPE, no biases                          the same, and more stable
"""

from typing import Any

from curvecast.networks.backbones.causal_cnn import CausalCNNConfig
from curvecast.networks.backbones.deltanet import DeltaNetConfig, RWKV7Config
from curvecast.networks.backbones.encoder_decoder import EncoderDecoderConfig, TransformerPairConfig
from curvecast.networks.backbones.h3 import H3Config
from curvecast.networks.backbones.linear_attention import LinearAttentionConfig
from curvecast.networks.backbones.mamba import Mamba2Config, MambaConfig
from curvecast.networks.backbones.recurrent import ElmanConfig, GRUConfig, LSTMConfig, MinGRUConfig
from curvecast.networks.backbones.s4 import S4Config
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.backbones.xlstm import XLSTMConfig

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
