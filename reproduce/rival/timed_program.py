"""One of two programs that are timed side by side: the port in stock layers, or the network of the reference package.

Runs in a process of its own. A request a line comes in, an answer a line goes out, both JSON. What is timed is the same
for both: one loss, backward, one clip and one AdamW, as in the package's own training; or the mean of one curve.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from reproduce.rival import used_lines
from reproduce.rival.timed_networks import Port, Reference

NAMES = (  # of weights: in the reference package, in the port
    ("encoder.2.", "x."), ("y_encoder.1.", "y."), ("transformer_encoder.", "encoder."), ("decoder.", "head."),
)  # fmt: skip


class Turns:
    """Each method answers one kind of request."""

    def hello(self, threads: int) -> dict[str, Any]:
        import torch

        torch.set_num_threads(threads)
        return {"torch": torch.__version__, "threads": threads}

    def load(
        self, program: str, curves: str, width: int, layers: int, dropouts: list[float]
    ) -> dict[str, Any]:
        """A network and its optimiser for each dropout."""
        import numpy as np
        import torch

        self.torch = torch
        with np.load(curves) as file:
            y, borders = (torch.from_numpy(file[name]) for name in ("y", "borders"))
        kinds: dict[str, Any] = {"port": Port, "reference": Reference}
        self.program = kinds[program](width, layers, y, borders)
        self.nets: dict[float, Any] = {}
        for dropout in dropouts:
            torch.manual_seed(0)
            net = self.program.build(self.program.config(dropout))
            self.nets[dropout] = net, torch.optim.AdamW(net.parameters(), lr=1e-4, weight_decay=0.0)
        return {"nets": len(self.nets)}

    def size(self) -> dict[str, Any]:
        net, _ = next(iter(self.nets.values()))
        return {"parameters": sum(p.numel() for p in net.parameters())}

    def code(self) -> dict[str, Any]:
        """The functions that building the network, one loss and one mean run through."""
        program, config = self.program, self.program.config(0.0)

        def all_of_it() -> None:
            net = program.build(config)
            program.loss(net, 50)
            program.mean(net.eval(), 10)

        return {"used": used_lines.used(all_of_it, program.folder)}

    def step(self, dropout: float, cutoffs: list[int]) -> dict[str, float]:
        """Seconds of a step, mean over these cutoffs."""
        net, optimiser = self.nets[dropout]
        net.train()

        def step(c: int) -> None:
            self.program.loss(net, c).backward()
            self.torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            optimiser.zero_grad()

        return {"seconds": timed(step, cutoffs)}

    def forecast(self, dropout: float, cutoff: int, calls: int) -> dict[str, float]:
        """Seconds of the mean of one curve, at all later epochs."""
        net, _ = self.nets[dropout]
        net.eval()
        with self.torch.no_grad():
            return {"seconds": timed(lambda c: self.program.mean(net, c), [cutoff] * calls)}

    def weights(self, dropout: float, path: str) -> dict[str, Any]:
        """Of the reference, by the names that the port gives them, each moved a little: fresh layers are the identity."""
        import numpy as np

        net, _ = self.nets[dropout]
        self.torch.manual_seed(1)
        with self.torch.no_grad():
            for parameter in net.parameters():
                parameter += 0.02 * self.torch.randn_like(parameter)
        state = {
            new + name.removeprefix(old): value.numpy()
            for name, value in net.state_dict().items() for old, new in NAMES if name.startswith(old)
        }  # fmt: skip
        np.savez(path, **state)
        return {"tensors": len(state)}

    def take(self, dropout: float, path: str) -> dict[str, Any]:
        """These weights into the port: none may be missing, none may be left over."""
        import numpy as np

        net, _ = self.nets[dropout]
        with np.load(path) as file:
            state = {name: self.torch.from_numpy(file[name]) for name in file.files}
        net.load_state_dict(state)
        return {"tensors": len(state)}

    def say(self, dropout: float, cutoff: int, path: str) -> dict[str, Any]:
        """Logits and means of one curve, written to a file."""
        import numpy as np

        net, _ = self.nets[dropout]
        net.eval()
        with self.torch.no_grad():
            logits, mean = self.program.logits(net, cutoff, 1), self.program.mean(net, cutoff)
        np.savez(path, logits=logits.flatten().numpy(), means=mean.flatten().numpy())
        return {"logits": logits.numel()}


def timed(call: Callable[[int], object], each: list[int]) -> float:
    start = time.perf_counter()
    for one in each:
        call(one)
    return (time.perf_counter() - start) / len(each)


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):  # the package talks; answers keep a line of their own
        turns = Turns()
        for line in sys.stdin:
            request = json.loads(line)
            answer = getattr(turns, request.pop("do"))(**request)
            print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
