"""Guards curvecast/networks/backbones/rwkv7.py: DeltaNet as a case of it."""

import torch
from torch.nn import functional as F

from curvecast.networks.backbones import deltanet
from curvecast.networks.backbones.rwkv7 import recur


def six(T: int) -> list[torch.Tensor]:
    torch.manual_seed(0)
    r, w, k, v, a = torch.randn(5, 1, 1, T, 4, dtype=torch.float64)
    return [r, w.sigmoid(), k, v, a.sigmoid(), F.normalize(k, dim=-1)]


def test_without_fading_it_is_the_delta_rule():
    r, w, _, v, a, c = six(9)
    beta = a[..., :1]
    ours = recur(r, torch.ones_like(w), beta * c, v, beta.expand_as(a), c)
    assert torch.allclose(ours, deltanet.recur(r, c, v, beta[..., 0])[0], atol=1e-12)
