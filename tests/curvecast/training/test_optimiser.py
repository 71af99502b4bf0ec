"""Guards curvecast/training/optimiser.py. That its state survives a pause is guarded in test_train.py."""

import torch
from torch import nn

from curvecast.training.optimiser import MuonAdam, orthogonalised


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList([nn.Linear(4, 8)])
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(torch.tanh(self.layers[0](x)))


def test_orthogonalised_has_singular_values_near_one():
    """The quintic steps bring all singular values between 0.6 and 1.3 and keep the singular vectors."""
    for shape in ((16, 40), (40, 16), (24, 24)):
        g = torch.randn(*shape, generator=torch.Generator().manual_seed(1))
        values = torch.linalg.svdvals(orthogonalised(g))
        assert values.max() < 1.3 and values[: int(0.9 * len(values))].min() > 0.6


def test_vectors_and_ends_follow_torch_s_adam():
    """Everything that is not a matrix inside a layer takes the steps of torch.optim.Adam."""
    ours, theirs = Net(), Net()
    a = MuonAdam(ours, lr=0.01, matrix_lr=0.0, beta2=0.99)
    b = torch.optim.Adam(
        [p for n, p in theirs.named_parameters() if n != "layers.0.weight"], lr=0.01, betas=(0.9, 0.99)
    )
    x = torch.randn(32, 4)
    for _ in range(5):
        for net, optimiser in ((ours, a), (theirs, b)):
            net.zero_grad()
            net(x).square().mean().backward()
            optimiser.step()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        assert torch.allclose(p, q, atol=1e-6), name
