"""What waits in memory for a gradient: the tensors that a forward pass keeps, its weights set aside."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor


def kept(weights: Iterable[Tensor], forward: Callable[[], object]) -> int:
    """Bytes; what several tensors share counts once."""
    anyway = {p.untyped_storage().data_ptr() for p in weights}
    held: dict[int, int] = {}

    def hold(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in anyway:
            held[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor):
        result = forward()  # held until all is counted: what is freed gives its address to others
    del result
    return sum(held.values())
