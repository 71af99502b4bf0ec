"""Curves of the prior by their number: a curve does not depend on batch, order or device.

(A test compares GPU and CPU where a GPU is present; so far it has not run on one.)

The prior is that of prior.py; only the source of random numbers differs (counter.py). Everything is computed in float64:
devices then agree on whether a curve stays in [0, 1], and their values agree beyond the precision of float32.
"""

import torch
from torch import Tensor

from curvecast.curves.counter import Counter, Draw
from curvecast.curves.laws.real_runs import real_runs
from curvecast.curves.prior import Curves, PriorConfig, check, proposals
from curvecast.ground.errors import UserError

BEHAVIOUR = 1  # raise by hand when the same seed and number give another curve; counter.py too

AT_ONCE = 1 << 14  # proposals in a round, unless there are more curves: they fit into the cache
HOPELESS = 10_000_000  # give up when so many proposals have been rejected and none accepted


def sample(config: PriorConfig, seed: int, numbers: Tensor) -> Curves:
    """The curves of this seed with these numbers (n,), on their device, in float64."""
    counter = Counter(seed, numbers)
    check(config, len(numbers))
    if not config.real:
        return _paper_curves(config, counter)
    law = follows_laws(config, counter)
    runs, papers = law.nonzero()[:, 0], (~law).nonzero()[:, 0]
    kinds = [real_runs(len(runs), config.length, config.without, counter.of(runs))] if len(runs) else []
    kinds += [_paper_curves(config, counter.of(papers))] if len(papers) else []
    order = torch.cat([runs, papers]).argsort()
    return Curves(*(torch.cat(parts)[order] for parts in zip(*kinds, strict=True)))


def follows_laws(config: PriorConfig, counter: Counter) -> Tensor:
    """Which of these curves come from the laws of real runs, and not from the paper's prior.  -> (n,)

    Decided by the first random number of each curve, so that no other curve matters."""
    return counter.uniform(1)[:, 0] < config.real


def _paper_curves(config: PriorConfig, counter: Counter) -> Curves:
    n = len(counter.numbers)
    clean, draw = _accepted(config, counter), Draw(counter)  # (n, T)
    sigma = draw.normal(config.log_sigma_mean, config.log_sigma_sd, n).exp_()  # (n,)
    noise = draw.normal(0, 1, n, config.length)  # (n, T)
    return Curves(clean, noise.mul_(sigma[:, None]).add_(clean), sigma)


def _accepted(config: PriorConfig, counter: Counter) -> Tensor:
    """For each curve its first valid attempt, so the number tried at once does not matter.  -> (n, T)"""
    n, device = len(counter.numbers), counter.device
    clean = torch.empty(n, config.length, dtype=torch.float64, device=device)
    missing, tried = torch.arange(n, device=device), 0  # indices of curves
    while len(missing):
        if tried * n > HOPELESS and len(missing) == n:
            raise UserError(f"no curve of {config} stays in [0, 1] and rises: choose other basis curves")
        # several attempts a round: the last few curves would otherwise take as many rounds as all others
        at_once = max(1, min(tried // 2 + 1, AT_ONCE // len(missing)))
        attempts = torch.arange(tried + 1, tried + 1 + at_once, device=device).repeat(len(missing))
        retries = counter.of(missing.repeat_interleave(at_once), attempts)  # attempts of a curve together
        curves, which = proposals(config, len(attempts), Draw(retries))
        owner = which // at_once  # place in `missing`, not falling
        first = torch.ones_like(owner, dtype=torch.bool)
        first[1:] = owner[1:] != owner[:-1]
        clean[missing[owner[first]]] = curves[first]
        rejected = torch.ones_like(missing, dtype=torch.bool)
        rejected[owner] = False
        missing, tried = missing[rejected], tried + at_once
    return clean
