"""Guards the rebuilt ports of the student blog, and the linear rule beside them."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.dependence import dependence
from reproduce.porting.porting.old_port import Network, OldPort

KEPT, MENDED = OldPort(16, layers=2), OldPort(16, layers=2, axis="epochs", place="epochs")
CURVES = torch.rand(10, 30, generator=torch.Generator().manual_seed(0))


def make(port):
    torch.manual_seed(0)
    return Network(port).eval()


def reach(port):
    """Of the forecast of curve 2 after 15 epochs: on which points of which curves does it depend?  (5, 15)"""
    y = CURVES[:5, :15].clone().requires_grad_()
    return dependence(make(port)(y)[2, -1:], y)[0] > 0


def test_the_fault_attends_to_other_curves_and_not_to_the_past():
    """Kept: the last point of every curve, nothing else. Mended: all points of its own curve, nothing else."""
    kept, mended = reach(KEPT), reach(MENDED)
    assert kept[:, -1].all() and not kept[:, :-1].any()
    assert mended[2].all() and not mended[[0, 1, 3, 4]].any()


def test_the_faulty_code_numbers_curves():
    """Kept: the same value in another slot is forecast otherwise, at another epoch alike. Mended: the reverse."""
    y = torch.full((3, 4), 0.5)
    kept, mended = (make(port)(y) for port in (OldPort(16, layers=2, axis="epochs"), MENDED))
    assert torch.allclose(kept[0, 0], kept[0, 3], atol=1e-6) and not torch.allclose(kept[0], kept[1])
    assert torch.allclose(mended[0], mended[1]) and not torch.allclose(mended[0, 0], mended[0, 3], atol=1e-6)


def test_an_unknown_switch_is_refused():
    """The complaint names the choices."""
    with pytest.raises(UserError, match="curves or epochs"):
        Network(OldPort(axis="time"))


def test_a_group_is_a_batch_of_its_own():
    """Ten curves in groups of five are told what each five would be told alone."""
    net = make(KEPT)
    together = net.roll(CURVES[:, :15], 15, 30, 5)
    assert torch.allclose(together[5:], net.roll(CURVES[5:, :15], 15, 30, 5), atol=1e-6)
    assert not torch.allclose(together[5:], net.roll(CURVES[:, :15], 15, 30, 10)[5:])
