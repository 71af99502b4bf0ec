"""Four ways to draw the first weights, and how widely the weighted inputs of neurons spread with them."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

START: dict[str, Callable[[Tensor], Tensor]] = {  # of weights (neurons, inputs)
    "N(0, 1)": nn.init.normal_,
    "N(0, 1/inputs)": lambda weight: nn.init.normal_(weight, std=weight.shape[1] ** -0.5),
    "Glorot": nn.init.xavier_normal_,  # variance 2 / (inputs + neurons)
    "torch": lambda weight: weight,  # as torch has drawn them: variance 1 / (3 inputs)
}
OLD, NEW, GLOROT, TORCH = START


def begin(net: nn.Sequential, start: str) -> None:
    """Only weights differ between the starts: all biases begin at 0."""
    for layer in net:
        if isinstance(layer, nn.Linear):
            START[start](layer.weight)
            nn.init.zeros_(layer.bias)


def spread(start: str, inputs: int, neurons: int, seed: int) -> float:
    """Standard deviation of the weighted input over neurons, where half of the inputs are one and biases are from N(0, 1)."""
    torch.manual_seed(seed)
    x = (torch.arange(inputs) < inputs // 2).float()  # (inputs,)
    weights = START[start](torch.empty(neurons, inputs))  # (neurons, inputs)
    return (weights @ x + torch.randn(neurons)).std().item()
