"""The blocks of three large language models as configurations of one block, and the reasons for the changes.

    PaLM    parallel layers, SwiGLU, one key and value for all heads, RoPE, no biases    faster training and decoding
    LaMDA   gated GELU, T5's bias by distance                                           better at equal size
    LLaMA   RMSNorm before each layer, SwiGLU, RoPE, no biases                          the same, and more stable

They are causal; so are these. Curves need no vocabulary and no embedding shared with the output.
"""

from curvecast.networks.backbones.transformer import TransformerConfig


def palm(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(
        layers, heads, kv_heads=1, feed="swiglu", parallel=True, bias=False, position="rope", causal=True, name="palm"
    )  # fmt: skip


def lamda(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(layers, heads, feed="geglu", position="t5", causal=True, name="lamda")


def llama(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(
        layers, heads, feed="swiglu", norm="rms", bias=False, position="rope", causal=True, name="llama"
    )
