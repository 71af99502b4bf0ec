"""Networks that see a curve as its coordinates along principal components, and draw it from them.

    c = V (x - m)        curve = m + c V

Shapes: n = curves, T = epochs, r = components.
"""

from torch import Tensor, nn

from curvecast.latent.principal import Principal, check


class OnCoordinates(nn.Module):
    mean: Tensor
    directions: Tensor
    spread: Tensor

    def __init__(self, basis: Principal):
        super().__init__()
        self.epochs = basis.epochs
        for name, values in zip(("mean", "directions", "spread"), basis, strict=True):
            self.register_buffer(name, values)

    def coordinates(self, x: Tensor) -> Tensor:
        return (check(x, self.epochs) - self.mean) @ self.directions.T  # (n, r)

    def curve(self, c: Tensor) -> Tensor:
        return self.mean + c @ self.directions  # (n, T)
