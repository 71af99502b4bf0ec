"""Networks of one shape side by side: outputs, gradients and steps are batched products and sums over all of them.

Gradients are coded by hand, which is faster than autograd. Each network has its own generator.
Shapes: B networks, b rows, d features, k classes, P weights of a network.
"""

import math
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

Array = np.ndarray


class Networks:
    """The weights of a bank in one tensor (B, P); each layer is a view of it."""

    def __init__(
        self, sizes: list[int], activation: str, scales: list[float], rngs: list[np.random.Generator]
    ) -> None:
        self.tanh = activation == "tanh"
        pairs = list(pairwise(sizes))
        each = zip(scales, rngs, strict=True)
        weights = [_first_weights(pairs, scale, self.tanh, rng) for scale, rng in each]
        self.flat = torch.tensor(np.stack(weights))  # (B, P)
        self.gradient = torch.zeros_like(self.flat)
        self.layers, self.slopes = _layers(self.flat, pairs), _layers(self.gradient, pairs)

    def outputs(self, x: Tensor, masks: list[Tensor] | None = None) -> list[Tensor]:
        """The values of every layer, from the input to the logits (B, b, k)."""
        values = [x]
        for i, (weight, bias) in enumerate(self.layers):
            z = torch.baddbmm(bias, values[-1], weight)
            if i < len(self.layers) - 1:
                z = z.tanh_() if self.tanh else z.relu_()
                z = z if masks is None else z * masks[i]
            values.append(z)
        return values

    def step_gradient(self, x: Tensor, y: Tensor, masks: list[Tensor] | None) -> None:
        """Write the gradient of each network's mean log-loss on its batch to `gradient`."""
        *values, logits = self.outputs(x, masks)
        back = logits.softmax(2)
        back.scatter_add_(2, y[..., None], back.new_full((*y.shape, 1), -1.0)).div_(y.shape[1])  # (B, b, k)
        for i in reversed(range(len(self.layers))):
            weight, bias = self.slopes[i]
            torch.bmm(values[i].transpose(1, 2), back, out=weight)
            torch.sum(back, 1, keepdim=True, out=bias)
            if i:
                mask = None if masks is None else masks[i - 1]
                back = self._through(torch.bmm(back, self.layers[i][0].transpose(1, 2)), values[i], mask)

    def _through(self, back: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
        """Back through dropout and activation of a layer, given its value after both."""
        if mask is None:
            return back.mul_(1 - value.square()) if self.tanh else back.mul_(value > 0)
        if not self.tanh:
            return back.mul_(mask).mul_(value > 0)
        before = value / mask.where(mask > 0, 1)  # where the mask is zero, so is the slope
        return back.mul_(mask).mul_(1 - before.square())


def _first_weights(pairs: list[tuple[int, int]], scale: float, tanh: bool, rng: np.random.Generator) -> Array:
    """(P,): normal, scaled so that values keep their spread from layer to layer; biases are zero."""
    pieces = []
    for i, (rows, columns) in enumerate(pairs):
        gain = 1.0 if tanh or i == len(pairs) - 1 else math.sqrt(2)  # relu halves the variance
        pieces += [rng.standard_normal(rows * columns) * scale * gain / math.sqrt(rows), np.zeros(columns)]
    return np.concatenate(pieces).astype(np.float32)


def _layers(flat: Tensor, pairs: list[tuple[int, int]]) -> list[tuple[Tensor, Tensor]]:
    """[(weights (B, rows, columns), biases (B, 1, columns))], all views of (B, P)."""
    sizes = [size for rows, columns in pairs for size in (rows * columns, columns)]
    pieces = iter(flat.split(sizes, 1))
    return [(next(pieces).unflatten(1, pair), next(pieces).unflatten(1, (1, pair[1]))) for pair in pairs]


class Steps:
    """Gradient steps with momentum, or Adam with decoupled weight decay; a rate for each network."""

    def __init__(self, nets: Networks, adam: bool, momentum: list[float], decay: list[float]) -> None:
        self.nets, self.adam, self.count = nets, adam, 0
        self.momentum = _column(momentum)
        self.decay = _column(decay)
        self.first, self.second = torch.zeros_like(nets.flat), torch.zeros_like(nets.flat)

    def step(self, rate: Tensor) -> None:
        """`rate` (B, 1)"""
        weights, slope = self.nets.flat, self.nets.gradient
        self.count += 1
        if not self.adam:
            slope.addcmul_(weights, self.decay)
            self.first.mul_(self.momentum).add_(slope)
            weights.addcmul_(self.first, rate, value=-1)
            return
        weights.mul_(1 - rate * self.decay)
        self.first.lerp_(slope, 0.1)
        self.second.mul_(0.999).addcmul_(slope, slope, value=0.001)
        size = (self.second / (1 - 0.999**self.count)).sqrt_().add_(1e-8)
        weights.addcmul_(self.first / size, rate / (1 - 0.9**self.count), value=-1)


def masks_of(
    hidden: tuple[int, ...], rows: int, dropouts: list[float], rngs: list[np.random.Generator]
) -> list[Tensor]:
    """Dropout masks of each hidden layer (B, b, units): zero, or the factor that keeps the mean."""
    limits = [round(256 * share) for share in dropouts]
    scales = [256 / (256 - limit) for limit in limits]
    masks = []
    for units in hidden:
        mask = np.ones((len(rngs), rows, units), np.float32)
        for network_mask, rng, limit, scale in zip(mask, rngs, limits, scales, strict=True):
            if limit:
                dice = np.frombuffer(rng.bytes(rows * units), np.uint8).reshape(rows, units)
                np.multiply(dice >= limit, scale, out=network_mask)
        masks.append(torch.from_numpy(mask))
    return masks


def _column(values: list[float]) -> Tensor:
    return torch.tensor(values, dtype=torch.float32)[:, None]  # (B, 1)
