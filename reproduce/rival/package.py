"""The reference package lcpfn 0.1.3, measured as it is. Runs inside .bench, its own environment (make bench).

One request a line on standard input, one answer a line on standard output, both JSON, so that another program
can take turns with this one. The package asks for torch <= 1.11; two repairs at run time let it train on
today's torch, and neither changes a number:
  1. its layers use names that torch's `import *` no longer hands over (MultiheadAttention and others);
  2. torch's encoder container passes `is_causal`, which its layers do not take: it is dropped, as the mask
     says it all.
Settings other than its own (heads, dropout) are laid over the arguments of its own training function.
Nothing of the package is copied: it is imported from the files that PyPI serves.
"""

import contextlib
import importlib
import json
import os
import sys
import time
import warnings
from typing import Any


def repaired() -> Any:
    """The package, able to train on today's torch."""
    warnings.filterwarnings("ignore")  # torch's notices on nested tensors and old names
    from torch import nn

    layer: Any = importlib.import_module("lcpfn.layer")
    for name in ("MultiheadAttention", "Linear", "Dropout", "LayerNorm"):
        setattr(layer, name, getattr(nn, name))
    forward = layer.TransformerEncoderLayer.forward

    def without_is_causal(
        self: Any, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None
    ) -> Any:
        return forward(self, src, src_mask, src_key_padding_mask)

    layer.TransformerEncoderLayer.forward = without_is_causal
    return importlib.import_module("lcpfn")


class Reference:
    """Each method answers one kind of request."""

    def __init__(self) -> None:
        import torch

        self.torch, self.lcpfn = torch, repaired()
        self.batches = self.lcpfn.create_get_batch_func(prior=self.lcpfn.sample_from_prior)
        self.for_borders: Any = None

    def hello(self, threads: int) -> dict:
        self.torch.set_num_threads(threads)
        return {"lcpfn": self.lcpfn.__version__, "torch": self.torch.__version__, "threads": threads}

    def prior(self, curves: int, batch: int) -> dict:
        """Curves per second of its sampler."""
        start = time.perf_counter()
        for _ in range(curves // batch):
            self.batches(batch, 100, 1)
        return {"curves": curves // batch * batch, "seconds": time.perf_counter() - start}

    def train(self, width: int, layers: int, heads: int, dropout: float, batch: int, steps: int) -> dict:
        """Curves per second of its training, data included: one epoch to warm up, one that counts."""
        ends: list[float] = []
        changes = {
            "nhead": heads,
            "dropout": dropout,
            "steps_per_epoch": steps,
            "epoch_callback": lambda model, share: ends.append(time.perf_counter()),
        }
        self._train(changes, emsize=width, nlayers=layers, batch_size=batch, epochs=2)
        return {"curves": steps * batch, "seconds": ends[1] - ends[0]}

    def load(self, curves: str, width: int, layers: int) -> dict:
        """Its forecaster with random weights, put together as its own training does: what is measured is time."""
        import numpy as np

        with np.load(curves) as file:
            self.y, borders = (self.torch.from_numpy(file[name]) for name in ("y", "borders"))  # (n, 100)
        self.x = self.torch.arange(1.0, self.y.shape[1] + 1)[:, None]  # (100, 1)
        module: Any = sys.modules["lcpfn.train"]
        plain, values = module.train, self.torch.linspace(0, 1, 10_000)
        module.train = lambda **settings: settings
        try:  # what its entry point passes on; the borders made of these values are not used
            made = self.lcpfn.train_lcpfn(lambda *_, **__: (None, None, values), emsize=width, nlayers=layers)
        finally:
            module.train = plain
        self.torch.manual_seed(0)
        network: Any = sys.modules["lcpfn.transformer"]
        places: Any = sys.modules["lcpfn.positional_encodings"]
        bars: Any = sys.modules["lcpfn.bar_distribution"]
        net = network.TransformerModel(
            made["encoder_generator"](1, width), len(borders) - 1, width, made["nhead"], made["nhid"], made["nlayers"], 0.0,
            y_encoder=made["y_encoder_generator"](1, width), pos_encoder=places.NoPositionalEncoding(width, 2 * made["bptt"]),
        )  # fmt: skip
        net.criterion = bars.FullSupportBarDistribution(borders)
        self.model = self.lcpfn.LCPFN.__new__(self.lcpfn.LCPFN)
        self.torch.nn.Module.__init__(self.model)
        self.model.model = net.eval()
        return {"parameters": sum(p.numel() for p in net.parameters())}

    def quantiles(self, seen: int, curves: int, levels: list[float]) -> dict:
        """Curve by curve, through the package's own call."""
        start = time.perf_counter()
        for y in self.y[:curves, :seen, None]:
            self.model.predict_quantiles(self.x[:seen], y, self.x[seen:], list(levels))
        return {"seconds": time.perf_counter() - start}

    def _train(self, changes: dict, **settings: Any) -> Any:
        """Its own entry point, with `changes` laid over what it passes on."""
        module: Any = sys.modules["lcpfn.train"]
        plain = module.train
        module.train = lambda **arguments: plain(**{**arguments, **changes})
        try:
            return self.lcpfn.train_lcpfn(self._get_batch, **settings)[2]
        finally:
            module.train = plain

    def _get_batch(self, batch_size: int, *arguments: Any, **keywords: Any) -> Any:
        """Its sampler; the 10,000 curves that only set the borders are drawn once."""
        if batch_size != 10_000:
            return self.batches(batch_size, *arguments, **keywords)
        if self.for_borders is None:
            self.for_borders = self.batches(batch_size, *arguments, **keywords)
        return self.for_borders


def serve() -> None:
    """A line of JSON comes in and names a method, its answer goes out as a line of JSON."""
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):  # a package talks; answers keep a line of their own
        asked = Reference()
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(asked, request.pop("do"))(**request)
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    serve()
