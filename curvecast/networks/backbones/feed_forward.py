"""Feed-forward networks for single tokens, plain or gated.

    gelu     W2 gelu(W1 x)                     two matrices
    geglu    W2 (gelu(W1 x) * V x)             three, so two thirds of the width for equally many parameters
    swiglu   W2 (swish(W1 x) * V x)            swish(z) = z sigmoid(z)

Shapes: d = width, f = feed-forward width.
"""

from collections.abc import Callable

from torch import Tensor, nn
from torch.nn import functional as F

from curvecast.ground.errors import demand

GATES: dict[str, Callable[[Tensor], Tensor]] = {"geglu": F.gelu, "swiglu": F.silu}
KINDS = ("gelu", *GATES)


def inner_width(kind: str, width: int, expand: float) -> int:
    """f, such that all kinds have as many parameters as the plain one."""
    return round(expand * width * (2 / 3 if kind in GATES else 1))


class FeedForward(nn.Module):
    def __init__(self, kind: str, width: int, expand: float = 2, bias: bool = True):
        super().__init__()
        demand(kind in KINDS, f"there is no feed-forward {kind!r}: take one of {', '.join(KINDS)}")
        f = inner_width(kind, width, expand)
        self.gate = GATES.get(kind)
        self.wide = nn.Linear(width, f if self.gate is None else 2 * f, bias=bias)  # W1, and V below it
        self.narrow = nn.Linear(f, width, bias=bias)  # W2

    def forward(self, x: Tensor) -> Tensor:
        if self.gate is None:
            return self.narrow(F.gelu(self.wide(x)))
        gate, value = self.wide(x).chunk(2, -1)  # (..., f)
        return self.narrow(self.gate(gate) * value)
