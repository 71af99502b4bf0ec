"""The plain block, and variants that differ from it in one switch."""

from dataclasses import replace

from curvecast.networks.backbones.transformer import TransformerConfig
from reproduce.backbones._trainings import Setting

PLAIN = "plain"
BLOCK = TransformerConfig(heads=2, name="plain")
VARIANTS = {
    PLAIN: BLOCK,
    "norm behind": replace(BLOCK, where="post", name="post"),
    "RMSNorm": replace(BLOCK, norm="rms", name="rms"),
    "GEGLU": replace(BLOCK, feed="geglu", name="geglu"),
    "SwiGLU": replace(BLOCK, feed="swiglu", name="swiglu"),
    "parallel": replace(BLOCK, parallel=True, name="parallel"),
    "one key and value": replace(BLOCK, kv_heads=1, name="multiquery"),
    "no biases": replace(BLOCK, bias=False, name="nobias"),
    "1 head": replace(BLOCK, heads=1, name="heads1"),
    "4 heads": replace(BLOCK, heads=4, name="heads4"),  # eight would leave no width of as many parameters
    "1 layer": replace(BLOCK, layers=1, name="layers1"),
    "4 layers": replace(BLOCK, layers=4, name="layers4"),
}
TITLES = {PLAIN: "plain block", "norm behind": "norm after (post-LN)", "parallel": "parallel block",
          "one key and value": "multi-query attention"}  # fmt: skip
HOT = Setting("adam", 3e-2, 0.0)  # far above the best rate of any row
HOT_VARIANTS = (PLAIN, "norm behind", "RMSNorm", "no biases", "parallel")
