"""What is said of a run after a value: where it will end, how likely it is to win, whether it could stop.

The rule is the paper's: a run is hopeless when no later epoch has a chance of more than delta to beat the best value so
far, of all runs and its own. But a run that leads others never is: to stop it would lose what it has reached.
"""

from typing import NamedTuple

import numpy as np

from curvecast.forecasting.doubts import RARE
from curvecast.forecasting.forecast import Forecast
from curvecast.ground.in_words import percent, plus_minus

BAND = 0.9  # the share of futures in the band that a line names


class Check(NamedTuple):
    step: float  # of the last value
    horizon: float
    end: float  # the median at the horizon
    half: float  # half of the width of the band there
    chance: float  # to beat the target, at the later step where it is largest
    target: float
    own: bool  # is the target the run's own best?
    hopeless: bool
    odd: bool  # hopeless, and unlike what the network knows

    def line(self, horizon_told: bool = True) -> str:
        band = plus_minus(self.end, self.half)
        where = f"will end at {band}" if horizon_told else f"will be at {band} at step {self.horizon:g}"
        target = f"its own best, {self.target:.4g}" if self.own else f"{self.target:.4g}"
        doubt = "; but this run is unlike the curves that the model was trained on" if self.odd else ""
        return f"{where}, {percent(self.chance)} to beat {target}{doubt}"


def check_run(
    run: Forecast, best: float | None, delta: float, odd: bool | None = None, alone: bool = True
) -> Check:
    """`run` has steps ahead.

    best    of all other runs, if there are any
    alone   without a best: will there be no others? A run that is alone leads nobody, and may be hopeless
    odd     what the last check found, if it was hopeless then: to ask takes longer than all else, and once is enough
    """
    better = min if run.minimise else max
    target = run.best if best is None else better(best, run.best)
    own = bool(target == run.best)
    leads = own and not (alone and best is None)
    low, end, high = (float(value) for value in run.at_horizon((1 - BAND) / 2, 0.5, (1 + BAND) / 2))
    chance = beats(run, target)
    hopeless = chance <= delta and not leads
    if hopeless and odd is None:
        odd = run.in_prior is not None and run.in_prior < RARE
    return Check(
        float(run.observed_steps[-1]), float(run.steps[-1]), end, (high - low) / 2,
        chance, float(target), own, hopeless, hopeless and bool(odd),
    )  # fmt: skip


def beats(run: Forecast, target: float) -> float:
    """A value beyond the bound cannot be beaten, and one before it always."""
    low, high = run.bounds
    return run.prob_beats(float(np.clip(target, low, high)))
