"""Where a line of some lead against the logarithm of an effort first reaches 0: how much is enough."""

import numpy as np


def enough(log_effort: np.ndarray, lead: np.ndarray) -> float:
    """Efforts rise, and so should the lead. From the first on: the first. Never: infinity."""
    if lead[0] >= 0:
        return float(np.exp(log_effort[0]))
    for i in range(1, len(lead)):
        if lead[i] >= 0:
            share = lead[i - 1] / (lead[i - 1] - lead[i])
            return float(np.exp(log_effort[i - 1] + share * (log_effort[i] - log_effort[i - 1])))
    return float("inf")
