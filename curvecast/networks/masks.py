"""Who may see whom: a square of booleans, one row for each reader, one column for each token that could be read.

True means "may see". Torch's layers want the opposite, so they are given `~mask`.
"""

import torch
from torch import Tensor

from curvecast.ground.errors import UserError

KINDS = ("full", "causal", "pfn")


def mask(kind: str, tokens: int, context: int | None = None, itself: bool = True) -> Tensor:
    """Of `tokens` tokens, the first `context` are the observed points and the others the queries.  -> (S, S)"""
    context = tokens if context is None else context
    if not 1 <= context <= tokens:
        raise UserError(
            f"a mask over {tokens} tokens cannot have {context} observed ones: take 1 to {tokens}"
        )
    if kind == "full":  # an encoder: everybody sees everybody
        return torch.ones(tokens, tokens, dtype=torch.bool)
    if kind == "causal":  # a decoder: nobody sees what comes later
        return torch.ones(tokens, tokens, dtype=torch.bool).tril()
    if kind == "pfn":  # all see what was observed; a query is seen by nobody, but in the paper by itself
        observed = (torch.arange(tokens) < context).expand(tokens, tokens)
        own = torch.eye(tokens, dtype=torch.bool) & ~observed
        return observed | own if itself else observed
    raise UserError(f"there is no mask {kind!r}; take one of {', '.join(KINDS)}")
