"""The likelihood of residuals when sigma is unknown: sigma is integrated out."""

import torch
from torch import Tensor

from curvecast.curves.prior import PriorConfig


class Noise:
    """ln sigma is integrated over its prior: the likelihood of n residuals depends only on their sum of squares S."""

    def __init__(
        self, config: PriorConfig, n: int, points: int = 2048, levels: int = 512, device: str = "cpu"
    ):
        self.low, self.high = -36.0, 8.0  # of ln S
        s = torch.linspace(-9.0, 6.0, levels).double() * config.log_sigma_sd + config.log_sigma_mean
        law = -((s - config.log_sigma_mean) / config.log_sigma_sd).square() / 2
        S = torch.linspace(self.low, self.high, points).double().exp()
        joint = law - n * s - S[:, None] / 2 * torch.exp(-2 * s)  # (points, levels)
        self.sigma = s.exp().float().to(device)  # (levels,)
        self.table = joint.logsumexp(1).float().to(device)  # falls as S grows
        self.cumulative = joint.softmax(1).cumsum(1).float().to(device)

    def place(self, S: Tensor) -> tuple[Tensor, Tensor]:
        """Index in the table below ln S, and the fraction of the way to the next."""
        position = (S.clamp(min=1e-15).log() - self.low) / (self.high - self.low) * (len(self.table) - 1)
        position = position.clamp(0, len(self.table) - 1.001)
        return position.long(), position - position.floor()

    def log_likelihood(self, S: Tensor) -> Tensor:
        """Up to a constant that depends on n."""
        i, share = self.place(S)
        return torch.lerp(self.table[i], self.table[i + 1], share)

    def largest(self, log_likelihood: Tensor) -> Tensor:
        """About the largest S with this likelihood: that of the next grid point."""
        i = torch.searchsorted(-self.table, -log_likelihood).clamp(max=len(self.table) - 1)
        return torch.exp(self.low + i * (self.high - self.low) / (len(self.table) - 1))

    def draw(self, S: Tensor, generator: torch.Generator) -> Tensor:
        """sigma given S, by inverting the cumulative distribution on the grid."""
        i, _ = self.place(S)
        u = torch.rand(S.shape, generator=generator).to(S.device)[..., None]
        k = torch.searchsorted(self.cumulative[i], u)[..., 0].clamp(max=len(self.sigma) - 1)
        return self.sigma[k]
