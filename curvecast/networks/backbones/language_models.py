"""The blocks of three large language models as switches of one block, and what they were changed for.

    PaLM    parallel layers, SwiGLU, one key and value for all heads, RoPE, no biases    quicker to train and to decode
    LaMDA   gated GELU, T5's bias by distance                                           better at equal size
    LLaMA   RMSNorm before each layer, SwiGLU, RoPE, no biases                          the same, and steadier

They read text from left to right; so do these. A vocabulary, and the end that shares its matrix, curves have not.
"""

from curvecast.networks.backbones.transformer import TransformerConfig


def palm(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(
        layers, heads, kv_heads=1, feed="swiglu", parallel=True, bias=False, position="rope", causal=True,
        name="palm",
    )  # fmt: skip


def lamda(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(layers, heads, feed="geglu", position="t5", causal=True, name="lamda")


def llama(layers: int = 2, heads: int = 4) -> TransformerConfig:
    return TransformerConfig(
        layers, heads, feed="swiglu", norm="rms", bias=False, position="rope", causal=True, name="llama"
    )
