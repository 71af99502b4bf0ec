"""The network of each rung, from a fully connected one to two convolutions with dropout, and a vote of several.

Shapes: n = images, m = members of a vote.
"""

import torch
from torch import Tensor, nn

from reproduce.craft._digits import CLASSES, SIDE
from reproduce.craft._runs import layers


def fully_connected(hidden: int) -> nn.Sequential:
    return with_first_weights(layers(hidden), nn.Sigmoid)


def convolutional(
    maps: tuple[int, ...], hidden: int, activation: type[nn.Module], dropout: float = 0.0
) -> nn.Sequential:
    """A convolution for each number of maps, then two fully connected layers.  (n, 64) -> (n, 10)"""
    side = SIDE // 2 ** len(maps)  # pooling halves it
    channels = (1, *maps)
    net = nn.Sequential(
        nn.Unflatten(1, (1, SIDE, SIDE)),  # (n, 64) -> (n, 1, 8, 8)
        *(convolution(*pair, activation) for pair in zip(channels, maps, strict=False)),
        nn.Flatten(),  # (n, maps, side, side) -> (n, maps * side * side)
        nn.Linear(channels[-1] * side * side, hidden),
        activation(),
        nn.Dropout(dropout),
        nn.Linear(hidden, CLASSES),
    )
    return with_first_weights(net, activation)


def convolution(
    maps: int, more: int, activation: type[nn.Module], kernel: int = 3, padding: str = "same"
) -> nn.Sequential:
    """A map looks at all places with the same weights; pooling keeps the largest of four neighbours."""
    return nn.Sequential(nn.Conv2d(maps, more, kernel, padding=padding), activation(), nn.MaxPool2d(2))


def with_first_weights(net: nn.Sequential, activation: type[nn.Module]) -> nn.Sequential:
    """Those of Glorot: a gain of 4 makes up for a sigmoid's slope of at most 1/4.

    With torch's own, which are smaller, two convolutions with sigmoids stay at chance for thousands of steps.
    """
    gain = 4.0 if activation is nn.Sigmoid else nn.init.calculate_gain("relu")
    for part in net.modules():
        if isinstance(part, nn.Conv2d | nn.Linear):
            nn.init.xavier_normal_(part.weight, gain)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
    return net


@torch.no_grad()
def vote(members: list[nn.Module], x: Tensor) -> Tensor:
    """The digit that most members name; of digits with equally many votes, the smallest.  (n, 64) -> (n,)"""
    return torch.stack([net(x).argmax(1) for net in members]).mode(0).values  # (m, n) -> (n,)
