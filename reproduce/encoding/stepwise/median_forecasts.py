"""What networks with an encoding forecast, in one shot or step by step: their medians on usual and unusual epochs.

Shapes: n = curves, T = observed points, Q = future points.
"""

import torch
from torch import Tensor

from curvecast.curves import prior
from curvecast.networks.added import Learned
from curvecast.networks.bars import Bars
from reproduce.encoding._encoded_network import Encoded
from reproduce.encoding._unpractised_epochs import AT_ONCE, GEOMETRIC, epochs, irregular
from reproduce.encoding.stepwise.stepwise_network import Free


def tasks(n: int, seed: int) -> dict[str, tuple[prior.Curves, Tensor, int]]:
    """Curves, the epochs at which they are observed and forecast (n, T + Q), and how many of these are observed, T."""
    generator = torch.Generator().manual_seed(seed)
    twice = prior.sample(prior.PriorConfig(length=200), n, generator)
    some = torch.cat(irregular(n, generator), 1)
    test = prior.test_set(n)
    return {
        "longer": (twice, epochs(n, range(1, 201)), 150),
        "irregular": (test, some, 20),
        "geometric": (test, epochs(n, GEOMETRIC), 8),
    }


def errors(net: Encoded, curves: prior.Curves, x: Tensor, seen: int) -> Tensor:
    """Mean error of the median, against the curve without noise (n,); NaN where a table has no row for an epoch."""
    if isinstance(net.encoding, Learned) and x.max() > len(net.encoding.table):
        return torch.full((len(x),), torch.nan)
    noisy, clean = (values.gather(1, x.long() - 1) for values in (curves.noisy, curves.clean))
    forecast, _ = medians(net, x, noisy[:, :seen])
    return (forecast - clean[:, seen:]).abs().mean(1)


@torch.no_grad()
def medians(net: Encoded, x: Tensor, y: Tensor) -> tuple[Tensor, list[Bars]]:
    """Epochs (n, T + Q), values (n, T) -> medians (n, Q) and densities, those of some curves at a time."""
    torch.manual_seed(0)  # for scrambled tables
    T, found = y.shape[1], []
    for some_x, some_y in zip(x.split(AT_ONCE), y.split(AT_ONCE), strict=True):
        if isinstance(net, Free):
            found.append(net.run_on(some_x, some_y))
        else:
            density = Bars(net.borders, net(some_x[:, :T], some_y, some_x[:, T:]))
            found.append((density.quantile(0.5), density))
    return torch.cat([median for median, _ in found]), [density for _, density in found]
