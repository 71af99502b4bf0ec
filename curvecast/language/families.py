"""The neural language models by the names that tables use: 16 d^2 parameters each between the word vectors.

A recurrent network or a transformer is that of curvecast/networks/backbones; only the window is new here.
"""

from typing import Any

from curvecast.language.window import WindowConfig
from curvecast.networks.backbones.lstm import LSTMConfig
from curvecast.networks.backbones.transformer import TransformerConfig

FAMILIES: dict[str, Any] = {
    "feed-forward": WindowConfig(),
    "LSTM": LSTMConfig(layers=2, hands="all"),
    "transformer": TransformerConfig(heads=2, causal=True, position="rope", name="decoder"),
}
