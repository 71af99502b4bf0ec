"""Optuna: a pruner that forecasts each trial. It advises; with act=True it prunes.

study = optuna.create_study(direction="maximize", pruner=CurvecastPruner(horizon=100, act=True))
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from curvecast.forecasting.finished_runs import MOST
from curvecast.forecasting.user_input import number
from curvecast.ground.errors import UserError
from curvecast.while_training.check import Telling, beside_a_log, best_of, finite, never_harm, whole
from curvecast.while_training.stopper import LEAST, Stopper
from curvecast.while_training.watched import WholeRuns

try:
    from optuna.logging import get_logger
    from optuna.pruners import BasePruner
    from optuna.study import StudyDirection
    from optuna.trial import TrialState
except ImportError:
    raise ImportError("Optuna is not installed: pip install 'curvecast[optuna]'") from None

LOG = get_logger("optuna.curvecast")
COUNT = (TrialState.COMPLETE, TrialState.PRUNED, TrialState.RUNNING)


class CurvecastPruner(BasePruner):
    """A trial is hopeless when none of its later values has a chance above delta to beat the best known value.

    That is the best value of all complete, running and pruned trials. A trial that is at least as good as all others leads:
    it is never pruned, so that a search keeps the best that it has found. Failed trials do not count.

    horizon   the step of the last report of a whole trial
    metric    "accuracy", "percent", "error", "loss", or bounds such as (0, 500); the study says whether lower is better
    act       True: hopeless trials are pruned; False: a line in Optuna's log says which could be
    doubtful  True, the default here: also those whose forecast should not be trusted, as a search has many trials
    tell      a function that takes a string, and gets a line of every check; default: a line in Optuna's log for each
              hopeless trial
    calibrate True: the intervals are calibrated on complete trials that came to the horizon, from two of them on, and on
              the latest fifty; never on pruned ones
    n_startup_trials  no trial is pruned before so many are complete: 1 by default, and never fewer
    n_warmup_steps    no trial is pruned before this step
    interval_steps    Optuna's name of `every`
    Others as in `Stopper`.
    """

    def __init__(
        self, horizon: float, metric: str | tuple[float, float] = "accuracy", *,
        bounds: tuple[float, float] | None = None, delta: float = 0.05, least: int = LEAST, every: int = 1,
        act: bool = False, doubtful: bool = True, calibrate: bool = True, schedule: Any = None,
        tell: Callable[[str], object] | None = None, n_startup_trials: int = 1, n_warmup_steps: float = 0,
        interval_steps: int | None = None,
    ):  # fmt: skip
        self._how: dict[str, Any] = {
            "horizon": horizon, "metric": metric, "bounds": bounds, "delta": delta, "least": least, "act": act,
            "doubtful": doubtful, "every": every if interval_steps is None else interval_steps,
            "tell": beside_a_log(tell, LOG.info, LOG.warning), "others": (), "schedule": schedule,
        }  # fmt: skip
        self.telling: Telling = self._how["tell"]
        # what cannot be meant is refused now, and not in the first trial
        self._metric = Stopper(**self._how).metric
        self._calibrate = bool(calibrate)
        self._startup = whole(n_startup_trials or 1, "n_startup_trials")
        self._warmup = number(n_warmup_steps, "n_warmup_steps")
        self._searches: dict[tuple[int, int], Search] = {}
        self._named_direction = {"error": True, "loss": True, "accuracy": False, "percent": False}.get(
            metric if isinstance(metric, str) and bounds is None else ""
        )

    def prune(self, study: Any, trial: Any) -> bool:
        """The whole trial is read each time, so that it can be resumed anywhere: what is kept only saves time."""
        minimise, reported = self._minimise(study), trial.intermediate_values
        if not reported:
            return False
        storage = getattr(study, "_storage", study)
        where = id(storage), getattr(study, "_study_id", 0)  # names are unique within a storage alone
        if where not in self._searches:
            Stopper(**self._how, name=f"trial {trial.number}").refuse(reported[min(reported)])
        search = self._searches.setdefault(where, Search(storage, {}, WholeRuns()))
        return bool(self._decide(study, trial, minimise, search))

    @never_harm(otherwise=False)
    def _decide(self, study: Any, trial: Any, minimise: bool, search: "Search") -> bool:
        best = self._best_other(study, trial, minimise, search)
        stopper = self._fed(trial, minimise, best=best, finished=search.whole.calibrating)
        last, seen = max(trial.intermediate_values), len(stopper.values)
        if last not in stopper.steps or last < self._warmup or (seen - stopper.least) % stopper.every:
            return False  # nothing new since the last check
        return bool(stopper.should_stop())

    def _fed(self, trial: Any, minimise: bool, **how: Any) -> Stopper:
        stopper = Stopper(**self._how, minimise=minimise, name=f"trial {trial.number}", **how)
        for step, value in sorted(trial.intermediate_values.items()):
            stopper.take(step, value)
        return stopper

    def _minimise(self, study: Any) -> bool:
        minimise = bool(study.direction == StudyDirection.MINIMIZE)
        if self._named_direction is not None and self._named_direction != minimise:
            way = "minimises" if minimise else "maximises"
            named = f"the pruner's metric is {self._how['metric']}"
            raise UserError(f"the study {way} but {named}: set metric, or bounds")
        return minimise

    def _best_other(self, study: Any, own: Any, minimise: bool, search: "Search") -> float | None:
        """The best value of all other trials; None while too few of them are complete, and this one leads."""
        others = [one for one in study.get_trials(deepcopy=False, states=COUNT) if one.number != own.number]
        complete = [one for one in others if one.state == TrialState.COMPLETE]
        new = [one for one in complete if one.number not in search.best]
        for one in new[-MOST:] if self._calibrate else []:
            search.whole.add(one.number, self._fed(one, minimise))
        best = {one.number: search.best.get(one.number) or self._best(one, minimise) for one in others}
        # a finished trial changes no more, and is read once
        search.best.update({one.number: best[one.number] for one in others if one.state.is_finished()})
        numbers = [number for number in best.values() if number is not None]
        return best_of([numbers], minimise) if len(complete) >= self._startup else None

    def _best(self, trial: Any, minimise: bool) -> float | None:
        """Of a trial: values outside the bounds are left out, as those of the trial in question are."""
        values = [finite(value) for value in trial.intermediate_values.values() or [trial.value]]
        low, high = self._metric.low, self._metric.high
        return best_of([[value for value in values if value is not None and low <= value <= high]], minimise)

    def __getstate__(self) -> dict[str, Any]:
        """Whoever stores it finds the trials again."""
        return self.__dict__ | {"_searches": {}}


class Search(NamedTuple):
    """What is known of the trials of a study."""

    storage: Any  # which is kept so that its id stays its own
    best: dict[int, float | None]  # of finished trials, by number
    whole: WholeRuns
