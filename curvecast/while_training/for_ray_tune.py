"""Ray Tune: a stopper that forecasts each trial, and knows the best of the others. It advises; with act=True it stops.

tune.RunConfig(stop=CurvecastTrialStopper("accuracy", horizon=100, act=True, keep="search.json"))

Tune keeps no state of stoppers: with `keep` the values are in a file, and a search that is restored reads it.
"""

import logging
from pathlib import Path
from typing import Any

from curvecast.ground.errors import demand
from curvecast.while_training.check import best_of, never_harm
from curvecast.while_training.stopper import Stopper
from curvecast.while_training.watched import Kept, Watched, Watching, WholeRuns

try:
    from ray.tune import Stopper as TuneStopper
except ImportError:
    raise ImportError("Ray Tune is not installed: pip install 'curvecast[ray]'") from None

LOG = logging.getLogger("ray.tune.curvecast")


class CurvecastTrialStopper(Watching, TuneStopper):
    """monitor: the value that trials report; horizon: the training_iteration of a whole trial; all else as in `Stopper`.
    A hopeless trial is one line in Ray Tune's log; with `tell`, that gets a line of every check.

    keep       a file for the observed values, so that a search can be restored; several stoppers may share it
    calibrate  True: the intervals are calibrated on trials that reached the horizon, from two of them on, and on the
               latest fifty; if `finished` is given, on those alone
    """

    def __init__(
        self, monitor: str, horizon: float, *, keep: str | Path | None = None, calibrate: bool = True, **how: Any
    ):  # fmt: skip
        # what cannot be meant is refused now
        self.watched = Watched(monitor, how | {"horizon": horizon}, LOG.info, LOG.warning)
        told = self.watched.stopper.finished  # what is found of them for one trial serves all
        self._how = how | {"horizon": horizon, "tell": self.watched.telling, "finished": told, "others": ()}
        self._trials: dict[str, Stopper] = {}
        self._best: dict[str, float] = {}  # of each trial that has values
        self._whole = WholeRuns() if calibrate and not told else None
        self._kept = Kept(keep)
        known = self._kept.read()
        for name, state in known.items():
            trial_id, _, of = name.partition(" ")
            if of == monitor:
                self._of(trial_id).load_state_dict(state)
                self._note(trial_id, 0)
        if known:
            self._kept.write(known)  # a line for each value until now, and one for all from here on

    def __call__(self, trial_id: str, result: dict[str, Any]) -> bool:
        if not self._best:  # no value was taken yet
            self.watched.refuse(result)
        return bool(self._decide(trial_id, result))

    @never_harm(otherwise=False)
    def _decide(self, trial_id: str, result: dict[str, Any]) -> Any:
        monitor = self.watched.monitor
        demand(monitor in result, f"trial {trial_id} reports no '{monitor}': nothing to forecast")
        trial = self._of(trial_id)
        others = [best for name, best in self._best.items() if name != trial_id]
        told = self.watched.stopper.best
        trial.best = best_of([others, [] if told is None else [told]], trial.minimise)
        before = len(trial.values)
        trial.take(result["training_iteration"], result[monitor])
        if self._whole is not None:
            trial.finished = self._whole.calibrating
        stop = trial.should_stop()
        self._note(trial_id, before)
        self._kept.add(f"{trial_id} {monitor}", trial.state_dict())
        return stop

    def _note(self, trial_id: str, before: int) -> None:
        """What the other trials need to know of this one, which had so many values."""
        trial, best = self._trials[trial_id], self._best.pop(trial_id, None)
        goes_on = best is not None and len(trial.values) > before  # else some values were taken back
        values = [best, trial.values[-1]] if goes_on else trial.values
        if (now := best_of([values], trial.minimise)) is not None:
            self._best[trial_id] = now
        if self._whole is not None:
            self._whole.add(trial_id, trial)

    def stop_all(self) -> bool:
        """One trial's end is not that of the search."""
        return False

    def _of(self, trial_id: str) -> Stopper:
        if trial_id not in self._trials:
            self._trials[trial_id] = Stopper(**self._how, name=f"trial {trial_id}")
        return self._trials[trial_id]
