"""Torch's own layers with the weights of ours, to be compared."""

import torch
from torch import Tensor, nn

from curvecast.networks.backbones.recurrent import unroll


def copied(theirs: nn.MultiheadAttention, ours: nn.Module) -> None:
    """The weights of one of our attentions."""
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.q.weight, ours.kv.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.q.bias, ours.kv.bias]))
    theirs.out_proj.load_state_dict(ours.out.state_dict())


def both(cell: nn.Module, theirs: nn.RNNBase, T: int) -> tuple[Tensor, Tensor]:
    """The states of a cell of ours after each of T points, and those of torch's layer with its weights."""
    with torch.no_grad():
        theirs.weight_ih_l0.copy_(cell.new.weight)
        theirs.bias_ih_l0.copy_(cell.new.bias)
        theirs.weight_hh_l0.copy_(cell.old.weight)
        theirs.bias_hh_l0.zero_() if cell.old.bias is None else theirs.bias_hh_l0.copy_(cell.old.bias)
    u = torch.randn(3, T, cell.old.weight.shape[1])
    return unroll(cell, u), theirs(u)[0]
