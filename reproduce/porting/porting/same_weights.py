"""The port in stock layers and our network with the same weights: logits, parameters, lines, seconds."""

import ast
import inspect
from dataclasses import replace
from functools import partial

import pandas as pd
import torch
from torch import Tensor, nn

from curvecast.curves.prior import PriorConfig, test_set
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.model import PFN, ModelConfig
from curvecast.networks.port import Port, port
from reproduce.protocols import timing

CUTOFFS = (1, 15, 80)
SIZES = {"3 × 128": (128, 3), "3 × 256": (256, 3)}  # the paper's P1 and P2


def filled(config: ModelConfig) -> PFN:
    """A network with every weight moved: the layers start as the identity, which would hide errors."""
    torch.manual_seed(0)
    net = PFN(config, make_borders(BarsConfig(tails="paper"), PriorConfig()))
    for name, parameter in net.named_parameters():
        if "norm" not in name:
            parameter.data += 0.02 * torch.randn_like(parameter)
    return net


@torch.no_grad()
def compare(curves: int) -> pd.DataFrame:
    """Largest difference of all logits, at several cutoffs; norm after the layers as in the paper, and before."""
    y, rows = test_set(curves).noisy, []
    x = torch.arange(1.0, y.shape[1] + 1).expand(curves, -1)
    for size, (width, layers) in SIZES.items():
        for norm in ("post", "pre"):
            net = filled(replace(ModelConfig.paper(width, layers), norm=norm)).eval()
            stock = port(net)
            for c in CUTOFFS:
                ours, theirs = (one(x[:, :c], y[:, :c], x[:, c:]) for one in (net, stock))
                rows.append({
                    "network": size, "norm": norm, "cutoff": c, "difference": (ours - theirs).abs().max().item(),
                    "largest": ours.abs().max().item(), "parameters": sum(p.numel() for p in stock.parameters()),
                })  # fmt: skip
    return pd.DataFrame(rows)


def lines() -> int:
    """Lines of the port as printed, without blank ones and docstrings."""
    source = inspect.getsource(Port)
    told = [
        node.body[0] for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
    ]  # fmt: skip
    silent = {number for text in told for number in range(text.lineno, (text.end_lineno or 0) + 1)}
    return sum(bool(line.strip()) and i not in silent for i, line in enumerate(source.splitlines(), 1))


def times(curves: int, rounds: int) -> pd.DataFrame:
    """Seconds of a training step and of a forecast, both programs in turns: the machine is the same for both."""
    y = test_set(curves).noisy
    x = torch.arange(1.0, y.shape[1] + 1).expand(curves, -1)
    net = filled(ModelConfig.paper(128, 3))
    turns = {
        (what, program): partial(ask, one)
        for program, one in {"ours": net, "stock layers": port(net)}.items()
        for what, ask in {
            "training step": lambda one: _step(one, net.borders, x, y), "forecast": lambda one: _forecast(one, x, y),
        }.items()
    }  # fmt: skip
    with timing.threads():
        rows = [(*who, number, seconds) for number, who, seconds in timing.in_turns(turns, rounds)]
    return pd.DataFrame(rows, columns=["what", "program", "round", "value"]).assign(lines=lines())


def _step(net: nn.Module, borders: Tensor, x: Tensor, y: Tensor, c: int = 40) -> float:
    """Forward and backward of a batch, with the paper's dropout."""
    net.train().zero_grad()

    def step() -> None:
        (-Bars(borders, net(x[:, :c], y[:, :c], x[:, c:])).log_density(y[:, c:]).mean()).backward()

    return timing.seconds(step)


def _forecast(net: nn.Module, x: Tensor, y: Tensor, c: int = 10) -> float:
    """One curve, all later epochs."""
    net.eval()
    with torch.no_grad():
        return timing.seconds(lambda: net(x[:1, :c], y[:1, :c], x[:1, c:]))
