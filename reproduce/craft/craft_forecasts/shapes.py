"""What a technique does to a learning curve, in a few numbers: a plateau, a late rise, a jump, a kink and noise.

half_way      the epoch by which half of the progress from the first value to the best is made: late after a plateau
late          the share of this progress that is made after the observed epochs
jump          the largest step backwards from one epoch to the next
kink          the step of the epoch after the middle of the training, beyond the mean step of the five epochs before
noise_before  standard deviation of the steps from the end of the observed epochs to the middle
noise_after   and from the middle to the end
"""

import numpy as np

SHAPES = ("half_way", "late", "jump", "kink", "noise_before", "noise_after")
SPAN = 5


def shape(values: np.ndarray, cutoff: int, better: int) -> dict[str, float]:
    """By names of SHAPES; `better` is 1 where more is better, as an accuracy, and -1 where less is, as a cost."""
    progress = better * (values - values[0])
    steps, middle, most = np.diff(values), len(values) // 2, progress.max()
    usual = steps[max(0, middle - 1 - SPAN) : middle - 1].mean()
    return {
        "half_way": float(np.argmax(progress >= most / 2) + 1),
        "late": float(1 - progress[:cutoff].max() / most) if most > 0 else 0.0,
        "jump": float(max(0.0, (-better * steps).max())),
        "kink": float(steps[middle - 1] - usual),
        "noise_before": float(steps[cutoff - 1 : middle - 1].std()),
        "noise_after": float(steps[middle:].std()),
    }
