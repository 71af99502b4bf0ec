"""Checks that find a broken forecaster in seconds, most of them before any training: our network and the blog's port.

A check measures one number and says what it should be. Last: do our network and the port in PyTorch's own layers, with the
same weights, give the same logits?

Shapes: B = curves of a batch, c = cutoff.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from curvecast.curves.prior import Curves, PriorConfig, test_set
from curvecast.networks.bars import Bars, BarsConfig, make_borders
from curvecast.networks.layer import dependence
from curvecast.networks.model import PFN, ModelConfig
from curvecast.networks.port import port
from reproduce.porting.porting.old_port import KEPT, MENDED, Network, OldPort
from reproduce.porting.porting.scores import per_curve

CUTOFFS = (1, 15, 80)
SIZES = {"3 × 128": (128, 3), "3 × 256": (256, 3)}  # the paper's P1 and P2
B, EPOCHS = 5, torch.arange(1.0, 101)
PORTS = {"old port": KEPT, "mended port": MENDED}
Forecast = Callable[..., Tensor]  # y (B, c), and for ours the first epoch -> one number for each curve (B,)
# program, what is checked, what is found, what is wanted, is it so
Check = tuple[str, str, Tensor | float, str, Tensor | bool]


def seen(c: int) -> pd.DataFrame:
    """Gradients of the forecasts of one curve by every given point, in three networks."""
    rows = []
    for network, made in (("old port", KEPT), ("mended", MENDED), ("LC-PFN", None)):
        y = test_set(B).noisy[:, :c].clone().requires_grad_()
        outputs = _pfn_means(y) if made is None else old(made)(y)[2]  # of curve 2: (c or queries,)
        slope = dependence(outputs[:c], y)  # (outputs, B, c)
        for view, values in (("own curve", slope[:, 2]), ("whole batch", slope[-1])):
            for (i, j), value in np.ndenumerate((values / values.max()).numpy()):
                rows.append({"network": network, "view": view, "row": i, "column": j, "value": float(value)})
    return pd.DataFrame(rows)


def old(port: OldPort) -> Network:
    """Not trained: a connection that is missing at the start is missing for good."""
    torch.manual_seed(0)
    return Network(port).eval()


def _pfn_means(y: Tensor) -> Tensor:
    """Means of curve 2 at the epochs after the given ones, from a network that is not trained either."""
    net = filled(replace(ModelConfig.paper(32, 2), heads=2)).eval()
    x = EPOCHS.expand(len(y), -1)
    c = y.shape[1]
    return Bars(net.borders, net(x[:, :c], y, x[:, c : 2 * c])).mean()[2]


def run(net: PFN, curves: Curves, c: int, steps: int) -> pd.DataFrame:
    """Each check on our trained network and on the old port: what was measured, what is wanted, is it so."""

    def ours(y: Tensor, first: int = 0) -> Tensor:
        """Mean of the next epoch."""
        x, n = EPOCHS[first:].expand(len(y), -1), y.shape[1]
        return Bars(net.borders, net(x[:, :n], y, x[:, n : n + 1])).mean()[:, 0]

    def theirs(port: Network) -> Forecast:
        return lambda y, first=0: port(y, first)[:, -1]

    forecasts = {"ours": ours} | {program: theirs(old(made)) for program, made in PORTS.items()}
    y = curves.noisy[:B, :c]
    lines = [check for program, forecast in forecasts.items() for check in _connections(program, forecast, y)]
    lines += [*_beginnings(curves, c, steps), *_scoring(curves, c)]
    rows = [(program, check, float(x), wanted, bool(passes)) for program, check, x, wanted, passes in lines]
    return pd.DataFrame(rows, columns=["program", "check", "value", "wanted", "passes"])


def _connections(program: str, forecast: Forecast, y: Tensor) -> list[Check]:
    """What a forecast of the next value must depend on, and what not."""
    with torch.no_grad():
        told = forecast(y)
        earlier = torch.cat([1 - y[:, :-1], y[:, -1:]], 1)
        others = torch.cat([y[:1], 1 - y[1:]])
        past = (forecast(earlier) - told).abs().max()
        leak = (forecast(others) - told)[0].abs()
        alone = (forecast(y[:1]) - told[:1]).abs().max()
        later = (forecast(y, 40) - told).abs().max()
    inputs, c = y.clone().requires_grad_(), y.shape[1]
    reached = (dependence(forecast(inputs)[:1], inputs)[0, 0] > 0).sum()
    return [
        (program, "points of its own curve with a gradient", reached, f"all {c}", reached == c),
        (program, "all points but the last replaced: forecast moves by", past, "> 0", past > 1e-4),
        (program, "the other curves replaced: it moves by", leak, "0", leak < 1e-5),
        (program, "alone instead of in a batch: it moves by", alone, "0", alone < 1e-5),
        (program, "the same values forty epochs later: it moves by", later, "> 0", later > 1e-4),
    ]


@torch.no_grad()
def _beginnings(curves: Curves, c: int, steps: int) -> list[Check]:
    """Loss at initialisation, and one small batch learnt by heart, of curves without noise."""
    y, x = curves.clean[:8], EPOCHS.expand(8, -1)
    hidden = y[:, c:]

    def checks(program: str, start: Tensor, told: Tensor) -> list[Check]:
        known = "loss at the start above that of knowing nothing (nats; as a share)"
        fit = "one batch learnt by heart: share left unexplained"
        left = (told - hidden).square().mean() / hidden.var()
        return [(program, known, start, "< 0.2", start < 0.2), (program, fit, left, "< 0.05", left < 0.05)]

    torch.manual_seed(0)
    borders = make_borders(BarsConfig(buckets=100), PriorConfig())
    net = PFN(replace(ModelConfig.paper(64, 2), dropout=0.0), borders)

    def ours() -> Tensor:
        return -net.log_density(x[:, :c], y[:, :c], x[:, c:], hidden).mean()

    nothing = Bars(net.borders, torch.zeros(*hidden.shape, 100))  # every bucket as likely as any other
    start = ours() + nothing.log_density(hidden).mean()
    _fit(net, ours, steps)
    lines = checks("ours", start, Bars(net.borders, net(x[:, :c], y[:, :c], x[:, c:])).mean())
    for program, made in PORTS.items():
        port = old(replace(made, dropout=0.0)).train()  # with dropout nothing is learnt by heart

        def theirs(port: Network = port) -> Tensor:
            return (port(y[:, :-1]) - y[:, 1:]).square().mean()

        start = theirs() / y.var() - 1
        _fit(port, theirs, steps)
        lines += checks(program, start, port.eval().roll(y[:, :c], c, y.shape[1])[:, c - 1 :])
    return lines


@torch.enable_grad()
def _fit(net: torch.nn.Module, loss: Callable[[], Tensor], steps: int) -> None:
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    for _ in range(steps):
        optimiser.zero_grad()
        loss().backward()
        optimiser.step()


def _scoring(curves: Curves, c: int) -> list[Check]:
    """A perfect forecast must have no error."""
    pure = Curves(curves.clean, curves.clean, curves.sigma)
    errors = per_curve("", curves.clean[:, c:], pure)
    right, shifted = 1000 * errors["noisy"].mean(), 1000 * errors["off"].mean()
    return [
        (program, "score of the true curve itself, times 1000", error, "0", error == 0)
        for program, error in (("ours", right), ("old port", shifted), ("mended port", right))
    ]


# --------------------------------------------------------------------------------------- the port in stock layers


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
