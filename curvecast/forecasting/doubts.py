"""Why a forecast should not be trusted, in sentences."""

from typing import Any

import numpy as np

RARE = 0.05  # of the prior’s own curves: below it a run is called unlike them; 4 % false alarms on the tuning set


def of(run: Any, used: int) -> list[str]:
    """Of a Forecast that is made from so many of its points; empty if nothing speaks against it."""
    found = []
    given = len(run.observed)
    if given >= 4 and used < min(5, given / 2):
        found.append(
            f"only {used} of {given} points could be used: steps start at {run.observed_steps[0]:g}, and the others "
            "fall into the same epochs; subtract the start, or give another horizon"
        )
    if other_way(run):
        goes, better, other = ("rises", "lower", "higher") if run.minimise else ("falls", "higher", "lower")
        found.append(f"it {goes}, but {better} is taken to be better; if {other} is better, set minimise")
    if run.in_prior is not None and run.in_prior < RARE:
        rare = f"fewer than 1 in {1 / RARE:.0f} of the curves that the model was trained on are so unusual"
        found.append(f"{rare} (in_prior {run.in_prior:.3g}): do not trust the intervals")
    return found


def other_way(run: Any) -> bool:
    """Does it get worse all the time, as a loss does that is taken for an accuracy?"""
    if len(run.observed) < 3 or np.ptp(run.observed) == 0:
        return False
    worse = run.observed if run.minimise else -run.observed
    return bool(worse[-1] > worse[0] and np.corrcoef(run.observed_steps, worse)[0, 1] > 0.5)
