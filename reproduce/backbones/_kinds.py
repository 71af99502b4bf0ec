"""Kinds of backbones, and the colour of each in every figure of the chapter."""

from reproduce._press import style

KINDS = {
    "recurrent": ("Elman", "LSTM", "GRU", "minGRU", "encoder–decoder", "xLSTM"),
    "convolution": ("CNN",),
    "attention": ("transformer", "PaLM block", "LaMDA block", "LLaMA block"),
    "state space": ("S4", "H3", "Mamba", "Mamba-2"),
    "linear attention": ("linear attention", "DeltaNet", "RWKV-7"),
}


def kind(backbone: str) -> str:
    """Of a row: "H3, attention" is a variety of "H3"."""
    family = backbone.split(",")[0]
    return next(kind for kind, families in KINDS.items() if family in families)


def colour(backbone: str) -> str:
    return style.colour(kind(backbone))
