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

import importlib
import random
import sys
import time
import warnings
from typing import Any

from reproduce.rival.requests import serve


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

    def recipe(
        self, curves: str, answer: str, cutoffs: list[int], seed: int, changes: dict, **settings: Any
    ) -> dict:
        """Train by its recipe, then write the log-likelihood of each curve (curves, cutoffs) to `answer`."""
        import numpy as np

        random.seed(seed)
        np.random.seed(seed)
        self.torch.manual_seed(seed)
        self.for_borders = None  # their sampling belongs to the recipe
        wall, cpu = time.perf_counter(), time.process_time()
        model = self._train(changes, **settings)
        seconds = {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}
        y = self.torch.from_numpy(np.load(curves)["noisy"]).float().T  # (T, curves)
        np.savez(answer, log_likelihood=np.stack([self._score(model, y, cutoff) for cutoff in cutoffs], 1))
        return seconds

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

    def _score(self, model: Any, y: Any, cutoff: int) -> Any:
        """Mean log density of the points after the cutoff, by its own network and bars: (curves,)."""
        model.eval()
        parts = []
        with self.torch.no_grad():
            for some in y.split(200, dim=1):  # (T, 200)
                x = self.torch.arange(1.0, len(some) + 1)[:, None, None].expand(-1, some.shape[1], 1)
                logits = model((x, some), single_eval_pos=cutoff)
                parts.append(-model.criterion(logits, some[cutoff:].contiguous()).mean(0))
        return self.torch.cat(parts).numpy()


if __name__ == "__main__":
    serve(Reference)
