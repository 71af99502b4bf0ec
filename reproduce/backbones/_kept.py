"""The memory that a gradient needs: the tensors that a forward pass stores, without its weights."""

from collections.abc import Callable, Iterable

import torch
from torch import Tensor, UntypedStorage


def kept(weights: Iterable[Tensor], forward: Callable[[], object]) -> int:
    """Bytes; storage that several tensors share counts once."""
    anyway = {p.untyped_storage().data_ptr() for p in weights}
    held: dict[int, UntypedStorage] = {}  # the storage itself, since the address of a freed one is used again

    def hold(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in anyway:
            held[storage.data_ptr()] = storage
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(hold, lambda tensor: tensor):
        forward()
    return sum(storage.nbytes() for storage in held.values())
