"""A network on the cells of a table: attention over the columns of a row, then over the rows of a column.

It does not know an order of rows or of columns. A row that is asked for sees the rows of the context, and no other row.
Shapes: B = tables, T = context rows, Q = rows asked for, R = T + Q, F = columns, C = classes, d = width.
"""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from curvecast.tables.prior import CLASSES

BEHAVIOUR = 1  # raise by hand when the same weights and inputs give other logits

FARTHEST = 4.0  # standard deviations from the mean, beyond which a value counts as if it lay there


@dataclass(frozen=True)
class TableNetworkConfig:
    width: int = 48
    layers: int = 3
    heads: int = 2
    mask: bool = True  # is it told which cells are missing? Else it sees the mean of the column there

    @property
    def label(self) -> str:
        return f"table-{self.layers}x{self.width}{'' if self.mask else '-imputing'}"

    def behaviour(self) -> dict[str, int]:
        return {"table_network": BEHAVIOUR}

    def network(self, borders: Tensor) -> "TableNetwork":
        return TableNetwork(self, borders)


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.norm = heads, nn.LayerNorm(width)
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, tokens: Tensor, seen: int) -> Tensor:
        """Each token sees the first `seen`.  (N, S, d) -> (N, S, d)"""
        normed = self.norm(tokens)
        context = normed[:, :seen]
        q, k, v = (
            part.unflatten(2, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(normed), self.key(context), self.value(context))
        )
        return tokens + self.out(scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.columns, self.rows = Attention(width, heads), Attention(width, heads)
        self.norm = nn.LayerNorm(width)
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, cells: Tensor, T: int) -> Tensor:
        """(B, R, F + 1, d), of whose rows the first T are the context"""
        B, R, F, _ = cells.shape
        cells = self.columns(cells.flatten(0, 1), F).unflatten(0, (B, R))
        cells = self.rows(cells.transpose(1, 2).flatten(0, 1), T).unflatten(0, (B, F)).transpose(1, 2)
        return cells + self.narrow(gelu(self.wide(self.norm(cells))))


class TableNetwork(nn.Module):
    random_stream = ""

    def __init__(self, config: TableNetworkConfig, borders: Tensor):
        super().__init__()
        self.config = config
        self.register_buffer("borders", borders)
        self.cell = nn.Linear(3, config.width)
        self.label = nn.Embedding(CLASSES + 1, config.width)  # the last one: not known
        self.layers = nn.ModuleList(Layer(config.width, config.heads) for _ in range(config.layers))
        self.norm, self.head = nn.LayerNorm(config.width), nn.Linear(config.width, CLASSES)

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor, mask: Tensor | None = None) -> Tensor:
        """Context x (B, T, F), y (B, T), rows asked for (B, Q, F), NaN where missing -> logits (B, Q, C)"""
        T = x.shape[1]
        cells = self.cell(numbers(x, x_query, self.config.mask))  # (B, R, F, d)
        known = torch.full(cells.shape[:2], CLASSES, device=x.device)
        known[:, :T] = y
        tokens = torch.cat([cells, self.label(known)[:, :, None]], 2)  # (B, R, F + 1, d)
        for layer in self.layers:
            tokens = layer(tokens, T)
        logits = self.head(self.norm(tokens[:, T:, -1]))
        there = (y[..., None] == torch.arange(CLASSES, device=y.device)).any(1)  # (B, C)
        return logits.masked_fill(~there[:, None], -math.inf)

    def log_density(
        self, x: Tensor, y: Tensor, x_query: Tensor, y_query: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        """Of the classes (B, Q); 0 for a class that the context does not show, which nobody could foresee."""
        found = self(x, y, x_query).log_softmax(-1).gather(2, y_query[..., None])[..., 0]
        return torch.where(found.isinf(), 0.0, found)


def numbers(x: Tensor, x_query: Tensor, mask: bool) -> Tensor:
    """Of each cell: its distance from the column's mean, its rank in the column, whether it is missing.  -> (B, R, F, 3)

    Mean, standard deviation and ranks are those of the context.
    """
    both = torch.cat([x, x_query], 1)  # (B, R, F)
    missing = both.isnan()
    count = (~x.isnan()).sum(1, keepdim=True).clamp(min=1)  # (B, 1, F)
    mean = x.nansum(1, keepdim=True) / count
    sd = ((x - mean).square().nansum(1, keepdim=True) / count).sqrt()
    place = torch.where(sd > 1e-6 * (1 + mean.abs()), (both - mean) / (sd + 1e-30), 0.0)
    place = place.clamp(-FARTHEST, FARTHEST)
    column = x.nan_to_num(math.inf).transpose(1, 2).contiguous().sort(2).values  # (B, F, T)
    value = both.nan_to_num(0.0).transpose(1, 2).contiguous()  # (B, F, R)
    below = torch.searchsorted(column, value) + torch.searchsorted(column, value, right=True)  # ties: half
    rank = (below.transpose(1, 2) / count).clamp(max=2.0) - 1  # -1 .. 1
    known = torch.stack([place, 1.7 * rank, torch.zeros_like(place)], -1)
    unknown = torch.tensor([0.0, 0.0, 1.0 if mask else 0.0], device=x.device)
    return torch.where(missing[..., None], unknown, known)
