"""The port in stock layers, and the network of the reference package: how each is made, its loss, its mean.

Both have the same methods, so that one clock can time them. Each lives in its own environment, the port where curvecast
is installed, the reference in .bench, with the two repairs of package.py; so neither is imported before it is made.
Shapes: B = curves, T = epochs, c = cutoff, K = buckets. The reference wants (T, B), the port (B, T).
"""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from reproduce.rival import package


class Port:
    """The port: how it is made, its loss and its mean."""

    def __init__(self, width: int, layers: int, y: Any, borders: Any) -> None:
        import torch

        from curvecast import networks
        from curvecast.networks import bars, model, port

        self.folder = Path(networks.__file__).parent
        self.port, self.bars = port.Port, bars.Bars
        self.settings = model.ModelConfig.paper(width, layers)
        self.y, self.borders = y, borders
        self.x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)  # (B, T)

    def config(self, dropout: float) -> Any:
        return replace(self.settings, dropout=dropout)

    def build(self, config: Any) -> Any:
        return self.port(config, len(self.borders) - 1)

    def logits(self, net: Any, c: int, curves: int) -> Any:  # -> (B, T - c, K)
        x, y = self.x[:curves], self.y[:curves]
        return net(x[:, :c], y[:, :c], x[:, c:])

    def loss(self, net: Any, c: int) -> Any:
        logits = self.logits(net, c, len(self.y))
        return -self.bars(self.borders, logits).log_density(self.y[:, c:]).mean()

    def mean(self, net: Any, c: int) -> Any:
        return self.bars(self.borders, self.logits(net, c, 1)).mean()


class Reference:
    """The network of the package, put together as its own training does."""

    def __init__(self, width: int, layers: int, y: Any, borders: Any) -> None:
        import torch

        lcpfn = package.repaired()
        self.folder = Path(lcpfn.__file__).parent
        self.model = sys.modules["lcpfn.transformer"].TransformerModel
        self.bars = sys.modules["lcpfn.bar_distribution"].FullSupportBarDistribution
        self.places = sys.modules["lcpfn.positional_encodings"].NoPositionalEncoding
        self.settings = self._settings(lcpfn, torch.linspace(0, 1, 10_000), emsize=width, nlayers=layers)
        self.y, self.borders = y.T.contiguous(), borders  # (T, B)
        self.x = torch.arange(1.0, len(self.y) + 1)[:, None, None].expand(-1, len(y), 1)  # (T, B, 1)

    def _settings(self, lcpfn: Any, values: Any, **sizes: int) -> dict[str, Any]:
        """What its entry point passes on to its training; the borders made of these values are not used."""
        module: Any = sys.modules["lcpfn.train"]
        plain = module.train
        module.train = lambda **settings: settings
        try:
            return lcpfn.train_lcpfn(lambda *_, **__: (None, None, values), **sizes)
        finally:
            module.train = plain

    def config(self, dropout: float) -> dict[str, Any]:
        return {**self.settings, "dropout": dropout}

    def build(self, config: Any) -> Any:
        width = config["emsize"]
        net = self.model(
            config["encoder_generator"](1, width), len(self.borders) - 1, width, config["nhead"], config["nhid"],
            config["nlayers"], config["dropout"], y_encoder=config["y_encoder_generator"](1, width),
            pos_encoder=self.places(width, 2 * config["bptt"]),
        )  # fmt: skip
        net.criterion = self.bars(self.borders)
        return net

    def logits(self, net: Any, c: int, curves: int) -> Any:  # -> (T - c, B, K)
        return net((self.x[:, :curves], self.y[:, :curves]), single_eval_pos=c)

    def loss(self, net: Any, c: int) -> Any:
        return net.criterion(self.logits(net, c, self.y.shape[1]), self.y[c:]).mean()

    def mean(self, net: Any, c: int) -> Any:
        return net.criterion.mean(self.logits(net, c, 1))
