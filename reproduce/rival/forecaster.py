"""The reference package as a forecaster, in its own environment (.bench): its public calls, and its network batched.

A request a line comes in, an answer a line goes out, both JSON. Weights are random: what is measured is time.
Shapes: n = curves, T = 100 epochs, c = epochs seen.
"""

import contextlib
import json
import os
import sys
import time
from typing import Any


class Serving:
    def hello(self, threads: int) -> dict[str, Any]:
        import torch

        torch.set_num_threads(threads)
        return {"torch": torch.__version__, "threads": threads}

    def load(self, curves: str, width: int, layers: int) -> dict[str, Any]:
        import numpy as np
        import torch

        from reproduce.rival.timed_program import Reference

        with np.load(curves) as file:
            self.y, borders = (torch.from_numpy(file[name]) for name in ("y", "borders"))  # (n, T)
        made = Reference(width, layers, self.y, borders)
        torch.manual_seed(0)
        lcpfn: Any = sys.modules["lcpfn"]
        self.model = lcpfn.LCPFN.__new__(lcpfn.LCPFN)
        torch.nn.Module.__init__(self.model)
        self.model.model = made.build(made.config(0.0)).eval()
        self.torch, self.x = torch, torch.arange(1.0, 101)[:, None]  # (T, 1)
        return {"parameters": sum(p.numel() for p in self.model.parameters())}

    def mean(self, seen: int, curves: int) -> dict[str, float]:
        """Curve by curve, through the package's own call."""
        start = time.perf_counter()
        for y in self.y[:curves, :seen, None]:
            self.model.predict_mean(self.x[:seen], y, self.x[seen:])
        return {"seconds": time.perf_counter() - start}

    def quantiles(self, seen: int, curves: int) -> dict[str, float]:
        start = time.perf_counter()
        for y in self.y[:curves, :seen, None]:
            self.model.predict_quantiles(self.x[:seen], y, self.x[seen:], [0.05, 0.5, 0.95])
        return {"seconds": time.perf_counter() - start}

    def batched(self, seen: int, curves: int) -> dict[str, float]:
        """Its inner network with a hundred curves at once, which its call does not offer."""
        start = time.perf_counter()
        with self.torch.no_grad():
            for y in self.y[:curves].split(100):
                x = self.x[:, None].expand(-1, len(y), -1)  # (T, n, 1)
                net = self.model.model
                net.criterion.mean(net((x, y.T.contiguous()), single_eval_pos=seen))
        return {"seconds": time.perf_counter() - start}


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):  # the package talks; answers keep a line of their own
        serving = Serving()
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(serving, request.pop("do"))(**request)
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
