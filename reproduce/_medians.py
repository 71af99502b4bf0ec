"""The median of a few rounds and its interval, without any assumption on how seconds are spread."""

import math


def median_interval(values: list[float]) -> tuple[float | None, float | None]:
    """The narrowest pair of order statistics that holds the median with 95 %; six values are the least."""
    n, values = len(values), sorted(values)
    outside, k = 2 * 0.5**n, 0  # chance that the median lies beyond the k-th smallest or largest
    if outside > 0.05:
        return None, None
    while outside + 2 * math.comb(n, k + 1) * 0.5**n <= 0.05:
        k += 1
        outside += 2 * math.comb(n, k) * 0.5**n
    return values[k], values[n - 1 - k]
