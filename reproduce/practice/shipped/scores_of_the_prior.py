"""How odd curves of the prior look to its own network: the check of a run compares it with them."""

import numpy as np

from curvecast.curves.prior import sample, test_set
from curvecast.forecasting.belief import Table, oddness
from curvecast.forecasting.torch_network import TorchNetwork
from curvecast.training.train import Forecaster

SEEN = (2, 3, 5, 10, 20, 50, 100)  # points of a run
SEED = 20261122  # of the curves of another prior than the paper's
LEVELS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def calibrate(forecaster: Forecaster, n: int) -> Table:
    """From n curves of the network's own prior: of the paper's, the last ones of THE test set."""
    own = forecaster.config.prior
    noisy = sample(own, n, np.random.default_rng(SEED)).noisy.float() if own.real else test_set().noisy[-n:]
    curves, network = noisy.numpy(), TorchNetwork(forecaster.model)
    scores = []
    for seen in SEEN:
        x = np.arange(1.0, seen + 1)
        odd = oddness(network, [(x, y[:seen]) for y in curves])
        scores.append(np.quantile(odd, LEVELS).tolist())
    return Table(list(SEEN), list(LEVELS), scores)
