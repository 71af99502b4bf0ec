"""Guards the rebuilt ports of the student blog, and the linear rule beside them."""

import pytest
import torch

from curvecast.ground.errors import UserError
from curvecast.networks.dependence import dependence
from reproduce.porting.porting.old_port import Course, Network, OldPort, batches, losses, share
from reproduce.porting.porting.scores import memoryless

# ------------------------------------------------- each fault is there when it is switched on, and gone when it is not

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


def test_a_group_is_a_batch_of_its_own():
    """Ten curves in groups of five are told what each five would be told alone."""
    net = make(KEPT)
    together = net.roll(CURVES[:, :15], 15, 30, 5)
    assert torch.allclose(together[5:], net.roll(CURVES[5:, :15], 15, 30, 5), atol=1e-6)
    assert not torch.allclose(together[5:], net.roll(CURVES[:, :15], 15, 30, 10)[5:])


@pytest.mark.parametrize(
    "port", [KEPT, MENDED, OldPort(16, layers=2, axis="epochs")], ids=["kept", "mended", "place"]
)
def test_a_roll_out_reads_what_it_said(port):
    """With the roll-out's own values as inputs, one parallel pass gives the roll-out again: the cache changes nothing."""
    net = make(port)
    told = net.roll(CURVES[:, :15], 15, 30)
    read = torch.cat([CURVES[:, :15], told[:, 14:-1]], 1)
    assert torch.allclose(net(read), told, atol=1e-5)


@pytest.mark.parametrize(("through", "reached"), [(True, 15), (False, 1)])
def test_through_means_a_gradient_through_its_own_forecasts(through, reached):
    """Through the roll-out the last error reaches the first forecast; else only the forecast that it belongs to."""
    net, seen = make(MENDED), []
    net.out.register_forward_hook(lambda _, __, out: seen.append(out))
    *_, last = losses(net, CURVES, Course(MENDED, through=through), free=True)
    slopes = torch.autograd.grad(last, seen, allow_unused=True)
    assert sum(slope is not None for slope in slopes) == reached


def test_few_curves_come_again_and_fresh_ones_do_not():
    """With 8 curves two batches of 8 hold the same curves; with 0 they hold none twice."""
    for curves, different in ((8, 8), (0, 16)):
        both = torch.cat(list(batches(Course(curves=curves, batch=8, forced=2, free=0))))
        assert len(both.unique(dim=0)) == different


def test_an_unknown_switch_is_refused():
    """The complaint names the choices."""
    with pytest.raises(UserError, match="curves or epochs"):
        Network(OldPort(axis="time"))


def test_the_rate_rises_and_falls_to_zero():
    """Nearly nothing at first, all of it after a fifth, nothing at the end."""
    assert share(0.0) == pytest.approx(0.01)
    assert share(0.1) == pytest.approx(0.51)
    assert share(0.2) == 1.0
    assert share(0.6) == pytest.approx(0.5)
    assert share(1.0) == 0.0


def test_a_linear_rule_that_is_there_is_found():
    """Curves that follow y' = 0.9 y + 0.05 are continued without error, whatever came before the last value."""
    y = torch.rand(20, 1, dtype=torch.float64)
    while y.shape[1] < 30:
        y = torch.cat([y, 0.9 * y[:, -1:] + 0.05], 1)
    given = torch.cat([torch.rand(20, 14), y[:, 14:15]], 1)
    assert torch.allclose(memoryless(given, y).double(), y[:, 15:], atol=1e-6)
