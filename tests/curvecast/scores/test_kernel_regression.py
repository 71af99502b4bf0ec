"""Guards curvecast/scores/kernel_regression.py: attention, ridge regression and the Gaussian process, one beside another."""

import torch
from torch.distributions import MultivariateNormal
from torch.nn import functional as F

from curvecast.scores.kernel_regression import (
    CurveKernel,
    gaussian_process,
    kernel_ridge,
    nadaraya_watson,
    ridge_regression,
)

F64 = torch.float64


def exponential(d: int = 4, T: int = 7) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Queries, keys and the kernel exp(q . k / sqrt d) of all pairs."""
    torch.manual_seed(0)
    q, keys = torch.randn(5, d, dtype=F64), torch.randn(T, d, dtype=F64)
    return q, keys, (q @ keys.T / d**0.5).exp()


def test_softmax_attention_is_nadaraya_watson():
    q, keys, k = exponential()
    values = torch.randn(7, 3, dtype=F64)
    wanted = F.scaled_dot_product_attention(q[None], keys[None], values[None])[0]
    assert torch.allclose(nadaraya_watson(k) @ values, wanted, atol=1e-12)


def test_ridge_weights_tend_to_attentions_as_the_ridge_grows():
    """The distance falls as one over the ridge."""
    _, keys, k = exponential()
    K = (keys @ keys.T / 2).exp()
    far = []
    for ridge in (1e4, 1e6):
        w = kernel_ridge(K, k, ridge)
        far.append(float((w / w.sum(-1, keepdim=True) - nadaraya_watson(k)).abs().max()))
    assert far[1] < 1e-4 and 80 < far[0] / far[1] < 120


def test_the_mean_of_the_process_is_kernel_ridge_regression():
    kernel = CurveKernel(noise=(0.1,))
    x, x_query = torch.arange(1.0, 7, dtype=F64), torch.tensor([9.0, 40], dtype=F64)
    y = torch.rand(3, 6, dtype=F64)
    w = kernel_ridge(kernel(x, x), kernel(x_query, x), 0.1**2)
    found = gaussian_process(kernel, x, y, x_query).mean[:, 0]
    assert torch.allclose(found, kernel.mean + (y - kernel.mean) @ w.T, atol=1e-10)


def test_the_spread_of_ridge_regression_is_its_error_on_points_that_were_left_out():
    """Each point left out in turn and forecast from the others, with the better of two ridges."""
    torch.manual_seed(2)
    x, y = torch.arange(1.0, 7, dtype=F64), torch.rand(3, 6, dtype=F64)
    found = ridge_regression(CurveKernel(noise=(0.02, 0.2)), x, y, torch.tensor([9.0], dtype=F64))
    errors = []
    for sigma in (0.02, 0.2):
        kernel, left_out = CurveKernel(noise=(sigma,)), []
        for i in range(6):
            others = torch.arange(6) != i
            mean = gaussian_process(kernel, x[others], y[:, others], x[i : i + 1]).mean[:, 0, 0]
            left_out.append(y[:, i] - mean)
        errors.append(torch.stack(left_out).square().mean(0).sqrt())
    assert torch.allclose(found.sd[:, 0], torch.stack(errors).amin(0), atol=1e-9)


def test_the_forecast_is_the_joint_normal_given_what_was_seen():
    """By torch's own normal law of all epochs: density of seen and hidden, less density of seen; one hidden at a time."""
    kernel = CurveKernel(noise=(0.02, 0.1))
    x, x_query = torch.arange(1.0, 6, dtype=F64), torch.tensor([7.0], dtype=F64)
    torch.manual_seed(1)
    y, hidden = torch.rand(4, 5, dtype=F64), torch.rand(4, 1, dtype=F64)

    def log_likelihood(epochs, values):
        each = []
        for sigma in kernel.noise:
            noise = sigma**2 * torch.eye(len(epochs), dtype=F64)
            law = MultivariateNormal(
                torch.full((len(epochs),), kernel.mean, dtype=F64), kernel(epochs, epochs) + noise
            )
            each.append(law.log_prob(values))
        return torch.stack(each).logsumexp(0)

    wanted = log_likelihood(torch.cat([x, x_query]), torch.cat([y, hidden], 1)) - log_likelihood(x, y)
    found = gaussian_process(kernel, x, y, x_query).log_density(hidden)[:, 0]
    assert torch.allclose(found, wanted, atol=1e-8)


def test_the_curve_says_how_noisy_it_is():
    x = torch.arange(1.0, 41)
    calm = 0.5 + 0.3 / x
    noisy = calm + 0.08 * torch.randn(40, generator=torch.Generator().manual_seed(0))
    found = gaussian_process(CurveKernel(), x, torch.stack([calm, noisy]), torch.tensor([60.0]))
    sure, unsure = (found.log_w.exp() @ torch.tensor(CurveKernel().noise, dtype=F64)).tolist()
    assert sure < 0.01 < 0.05 < unsure
