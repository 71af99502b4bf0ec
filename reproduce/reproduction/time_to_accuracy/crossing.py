"""When is a method as good as the network? Where its line of likelihood against the logarithm of time passes the network's.

Between two lengths the line is straight. What is better from its shortest length on has passed at that length or before,
what is not as good at its longest length has not passed: its time is infinite.
"""

import numpy as np
import pandas as pd

from reproduce._press.intervals import Interval, means_again
from reproduce.reproduction._crossing import enough


def slowdown(rows: pd.DataFrame, method: str) -> Interval | None:
    """Of rows of one cutoff: its time at equal likelihood over the network's; curves are drawn anew."""
    own, net = rows[rows["method"] == method], rows[rows["method"] == "network"]
    if own.empty or net.empty:
        return None
    lengths = own.groupby("steps")["seconds"].mean().sort_values()
    scores = own.pivot_table(index="curve", columns="steps", values="ll")[lengths.index]
    # (curves, lengths), above 0: better
    both = scores.sub(net.set_index("curve")["ll"], axis=0).dropna().to_numpy()
    seconds = np.log(lengths.to_numpy())
    ratios = np.array([enough(seconds, lead) for lead in means_again(both)]) / net["seconds"].mean()
    # no mean of a number and infinity
    low, high = np.quantile(ratios[1:], [0.025, 0.975], method="inverted_cdf")
    return Interval(float(ratios[0]), float(low), float(high))
