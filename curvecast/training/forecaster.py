"""Trained weights, asked for densities; what cannot be forecast is refused.

Shapes: B = curves, T = context points, Q = queries.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from curvecast.ground.errors import UserError
from curvecast.networks.bars import Bars
from curvecast.networks.heads import Density
from curvecast.training.batches import TrainConfig

History = list[dict[str, float]]


@dataclass(frozen=True)
class Forecaster:
    """Trained weights and all that is needed to use them."""

    config: TrainConfig
    model: Any  # a query_network.Network; a PFN if it is released or came from `load`
    history: History  # of the training, as `fit` returns it

    @torch.no_grad()
    def predict(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Density:
        """Context x, y (B, T), queries (B, Q), mask (B, T) true where observed -> one density a query.

        In the network's most compact form, if it has one: ten components in place of a thousand masses.
        """
        check(x, y, x_query, mask)
        if hasattr(self.model, "density"):
            compact: Density = self.model.density(x, y, x_query, mask)
            return compact
        return Bars(self.model.borders, self.model(x, y, x_query, mask))

    @torch.no_grad()
    def log_density(self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor) -> Tensor:
        """`predict(...).log_density(y_query)` (B, Q), but much faster: only the buckets of y_query are computed."""
        return self.model.log_density(x, y, x_query, y_query)


def check(x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None) -> None:
    """Raise a UserError for inputs that cannot be forecast."""
    seen = torch.ones_like(x, dtype=torch.bool) if mask is None else mask  # (B, T)
    if x.shape[1] == 0 or not seen.any(1).all():
        raise UserError("a curve without a single observed point cannot be forecast: leave it out")
    if not (torch.isfinite(y[seen]).all() and torch.isfinite(x[seen]).all()):
        raise UserError("an observed value or its epoch is NaN or infinite: leave it out with the mask")
    if (seen & (x <= 0)).any() or not ((x_query > 0) & torch.isfinite(x_query)).all():
        raise UserError("epochs count from 1: there is one of 0 or less, or none at all")
    # hidden epochs get distinct negative numbers
    epochs = torch.where(seen, x, -torch.arange(1.0, x.shape[1] + 1, device=x.device))
    twice = epochs.sort(1).values.diff(dim=1).eq(0).any(1)
    if twice.any():
        curve = int(twice.nonzero()[0])
        way = "keep one of its values, or their mean"
        raise UserError(f"curve {curve} (counted from 0) has an epoch twice: {way}")
