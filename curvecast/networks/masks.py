"""Attention masks: a square of booleans, one row for each token that reads, one column for each token that is read.

True means "may attend". Torch's layers use the opposite convention, so they are given `~mask`.
"""

import torch
from torch import Tensor

from curvecast.ground.errors import UserError

KINDS = ("full", "causal", "pfn")


def mask(kind: str, tokens: int, context: int | None = None, itself: bool = True) -> Tensor:
    """The first `context` of S = `tokens` tokens are observed points, the others queries.  -> (S, S)"""
    context = tokens if context is None else context
    if not 1 <= context <= tokens:
        raise UserError(
            f"a mask over {tokens} tokens cannot have {context} observed ones: take 1 to {tokens}"
        )
    if kind == "full":  # an encoder: every token attends to every token
        return torch.ones(tokens, tokens, dtype=torch.bool)
    if kind == "causal":  # a decoder: no token attends to later ones
        return torch.ones(tokens, tokens, dtype=torch.bool).tril()
    if kind == "pfn":  # all attend to the observed points; in the paper a query also to itself
        observed = (torch.arange(tokens) < context).expand(tokens, tokens)
        self_only = torch.eye(tokens, dtype=torch.bool) & ~observed
        return observed | self_only if itself else observed
    raise UserError(f"there is no mask {kind!r}; take one of {', '.join(KINDS)}")
