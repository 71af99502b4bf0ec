"""The published TabPFN (tabpfn 0.1, with the weights that came with it) as a classifier, in its own environment (.bench).

One request a line comes in, one answer a line goes out, both JSON. Its archive carries the weights, which later releases
fetch from elsewhere; PyPI marks it as yanked ("no max python version"), so that only its exact version is found.
Two repairs at run time let it run on today's torch, and neither changes a number: torch's layers hand over all of their
names to `import *` again, and two of typing beside them.
Its checkpoint is a pickle. make bench unpacks it only if the archive has the expected sha256, and torch reads tensors and
plain values from it alone (`weights_only`, today's default), so that nothing in it can run.
Nothing of the package is copied: it is imported from the files that PyPI serves.
Shapes: n = rows, F = columns, C = classes.
"""

import importlib
import sys
import time
import typing
import warnings
from pathlib import Path
from typing import Any

from reproduce.rival.requests import serve

UNPACKED = Path(sys.prefix) / "tabpfn"  # of the archive, by make bench
FILE = "tabpfn.scripts.transformer_prediction_interface"


def repaired() -> Any:
    """Its file of the classifier, able to run on today's torch."""
    layers: Any = importlib.import_module("torch.nn.modules.transformer")
    del layers.__all__
    layers.Optional, layers.Any = typing.Optional, typing.Any
    sys.path.append(str(UNPACKED))
    return importlib.import_module(FILE)


class Published:
    """Each method answers one kind of request."""

    def hello(self, threads: int) -> dict[str, Any]:
        import torch

        warnings.filterwarnings("ignore", category=FutureWarning)  # torch's notices on old names
        torch.set_num_threads(threads)
        self.torch = torch
        self.classifier = repaired().TabPFNClassifier(device="cpu")
        return {"tabpfn": "0.1", "torch": torch.__version__, "threads": threads}

    def classify(
        self, x: list[list[float]], y: list[int], x_test: list[list[float]], passes: int, seed: int
    ) -> dict[str, Any]:
        """Probabilities of the classes among y (n, C), and seconds of the processor.

        Each pass shifts columns and classes, and every second one transforms the columns as well. The shifts are drawn by
        torch, so that the seed settles them. There are 2 F C different passes, and more are not made.
        """
        import numpy as np

        self.torch.manual_seed(seed)
        self.classifier.N_ensemble_configurations = passes
        start = time.process_time()
        p = self.classifier.fit(np.array(x), np.array(y)).predict_proba(np.array(x_test))
        seconds = time.process_time() - start
        return {"p": p.tolist(), "classes": self.classifier.classes_.tolist(), "seconds": seconds}


if __name__ == "__main__":
    serve(Published)
