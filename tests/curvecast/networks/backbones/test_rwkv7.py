"""Guards curvecast/networks/backbones/rwkv7.py: the recurrence as it is written, and DeltaNet as a case of it."""

import torch
from torch.nn import functional as F

from curvecast.networks.backbones import deltanet
from curvecast.networks.backbones.rwkv7 import RWKV7, recur


def six(T: int) -> list[torch.Tensor]:
    torch.manual_seed(0)
    r, w, k, v, a = torch.randn(5, 1, 1, T, 4, dtype=torch.float64)
    return [r, w.sigmoid(), k, v, a.sigmoid(), F.normalize(k, dim=-1)]


def test_the_recurrence_is_the_product_of_matrices():
    r, w, k, v, a, c = six(9)
    S, outputs = torch.zeros(4, 4).double(), []
    for t in range(9):
        r_t, w_t, k_t, v_t, a_t, c_t = (part[0, 0, t] for part in (r, w, k, v, a, c))
        S = S @ (w_t.diag() - torch.outer(c_t, c_t * a_t)) + torch.outer(v_t, k_t)
        outputs.append(S @ r_t)
    assert torch.allclose(recur(r, w, k, v, a, c)[0, 0], torch.stack(outputs), atol=1e-12)


def test_without_fading_it_is_the_delta_rule():
    r, w, _, v, a, c = six(9)
    beta = a[..., :1]
    ours = recur(r, torch.ones_like(w), beta * c, v, beta.expand_as(a), c)
    assert torch.allclose(ours, deltanet.recur(r, c, v, beta[..., 0])[0], atol=1e-12)


def test_what_fades_fades_by_half_at_most():
    """In one step, whatever the network says."""
    layer = RWKV7(8, 2)
    seen = {}
    layer.six[1].register_forward_hook(lambda *args: seen.update(w=args[2]))
    layer(100 * torch.randn(2, 5, 8))
    w = (-0.60653 * seen["w"].sigmoid()).exp()
    assert (w > 0.54).all() and (w <= 1).all()
