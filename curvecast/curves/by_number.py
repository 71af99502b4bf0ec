"""Curves of the prior by their number: the same alone or among others, in whatever order, and on every device.

(Tests hold the GPU's against the CPU's where there is one; so far none has been there.)

The laws are those of prior.py; only where numbers by chance come from differs (counter.py). All is computed in float64:
two devices then decide alike whether a curve stays in [0, 1], and values agree far better than float32 can hold them.
"""

import torch
from torch import Tensor

from curvecast.curves.counter import Counter
from curvecast.curves.draw import Draw
from curvecast.curves.laws.real_runs import real_runs
from curvecast.curves.prior import Curves, PriorConfig, check, check_mixed, proposals
from curvecast.ground.errors import UserError

BEHAVIOUR = 1  # raise by hand when the same seed and number give another curve, by counter.py too

AT_ONCE = 1 << 14  # proposals, where there are fewer curves: they stay in the cache
HOPELESS = 10_000_000  # proposals of which none has passed


def sample(config: PriorConfig, seed: int, numbers: Tensor) -> Curves:
    """The curves of this seed with these numbers (n,), on their device, in float64."""
    counter = Counter(seed, numbers)
    if not config.real:
        return _papers(config, counter)
    check_mixed(config, len(numbers))
    law = _follows_laws(config, counter)
    groups = [which.nonzero()[:, 0] for which in (law, ~law)]
    kinds = [
        kind(config, counter.of(some))
        for kind, some in zip((_laws, _papers), groups, strict=True)
        if len(some)
    ]
    order = torch.cat(groups).argsort()
    return Curves(*(torch.cat(parts)[order] for parts in zip(*kinds, strict=True)))


def follows_laws(config: PriorConfig, seed: int, numbers: Tensor) -> Tensor:
    """Which of these curves come from the laws of real runs, and not from the paper's prior.  -> (n,)"""
    return _follows_laws(config, Counter(seed, numbers))


def _follows_laws(config: PriorConfig, counter: Counter) -> Tensor:
    """Each curve by its own chance, so that its neighbours do not count; the first number that is drawn of it."""
    return counter.uniform(1)[:, 0] < config.real


def _laws(config: PriorConfig, counter: Counter) -> Curves:
    return Curves(*real_runs(len(counter.numbers), config.length, config.without, counter))


def _papers(config: PriorConfig, counter: Counter) -> Curves:
    n = len(counter.numbers)
    check(config, n)
    clean, draw = _accepted(config, counter), Draw(counter)  # (n, T)
    sigma = draw.normal(config.log_sigma_mean, config.log_sigma_sd, n).exp_()  # (n,)
    noise = draw.normal(0, 1, n, config.length)  # (n, T)
    return Curves(clean, noise.mul_(sigma[:, None]).add_(clean), sigma)


def _accepted(config: PriorConfig, counter: Counter) -> Tensor:
    """Of each curve the first attempt that keeps the rules: how many are tried at once does not matter.  -> (n, T)"""
    n, device = len(counter.numbers), counter.device
    clean = torch.empty(n, config.length, dtype=torch.float64, device=device)
    missing, tried = torch.arange(n, device=device), 0  # indices of curves
    while len(missing):
        if tried * n > HOPELESS and len(missing) == n:
            raise UserError(f"no curve of {config} stays in [0, 1] and rises: choose other basis curves")
        # the last few would take as many rounds as all others
        at_once = max(1, min(tried // 2 + 1, AT_ONCE // len(missing)))
        attempts = torch.arange(tried + 1, tried + 1 + at_once, device=device).repeat(len(missing))
        again = counter.of(missing.repeat_interleave(at_once), attempts)  # curve by curve, attempt by attempt
        curves, which = proposals(config, len(attempts), Draw(again))
        whose = which // at_once  # rises
        first = torch.ones_like(whose, dtype=torch.bool)
        first[1:] = whose[1:] != whose[:-1]
        clean[missing[whose[first]]] = curves[first]
        still = torch.ones_like(missing, dtype=torch.bool)
        still[whose] = False
        missing, tried = missing[still], tried + at_once
    return clean
