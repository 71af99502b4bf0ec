"""Optuna: a pruner that forecasts each trial. It advises; with act=True it prunes.

study = optuna.create_study(direction="maximize", pruner=CurvecastPruner(horizon=100, act=True))
"""

from collections.abc import Callable
from typing import Any

from curvecast.forecasting.finished_runs import MOST
from curvecast.ground.errors import UserError
from curvecast.while_training.measured import best_of, finite
from curvecast.while_training.never_harm import never_harm
from curvecast.while_training.stopper import LEAST, Stopper
from curvecast.while_training.telling import Telling, beside_a_log
from curvecast.while_training.whole_runs import WholeRuns

try:
    from optuna.logging import get_logger
    from optuna.pruners import BasePruner
    from optuna.study import StudyDirection
    from optuna.trial import TrialState
except ImportError:
    raise ImportError("Optuna is not installed: pip install 'curvecast[optuna]'") from None

LOG = get_logger("optuna.curvecast")


class CurvecastPruner(BasePruner):
    """A trial is hopeless when none of its later values has a chance above delta to beat the best known value.

    That is the best value of the trial itself and of all complete trials. Pruned and failed trials do not count.

    horizon   the step of the last report of a whole trial
    metric    "accuracy", "percent", "error", "loss", or bounds such as (0, 500); the study says whether lower is better
    act       True: hopeless trials are pruned; False: a line in Optuna's log says which could be
    tell      a function that takes a string, and gets a line of every check; default: a line in Optuna's log for each
              hopeless trial
    calibrate True: the intervals are calibrated on complete trials that came to the horizon, from two of them on, and on
              the latest fifty; never on pruned ones
    Others as in `Stopper`.
    """

    def __init__(
        self, horizon: float, metric: str | tuple[float, float] = "accuracy", *,
        bounds: tuple[float, float] | None = None, delta: float = 0.05, least: int = LEAST, every: int = 1,
        act: bool = False, calibrate: bool = True, tell: Callable[[str], object] | None = None,
    ):  # fmt: skip
        self._how: dict[str, Any] = {
            "horizon": horizon, "metric": metric, "bounds": bounds, "delta": delta, "least": least, "every": every,
            "act": act, "tell": beside_a_log(tell, LOG.info),
        }  # fmt: skip
        self.telling: Telling = self._how["tell"]
        Stopper(**self._how)  # what cannot be meant is refused now, and not in the first trial
        self._calibrate = bool(calibrate)
        self._best_of_trial: dict[str, dict[int, float | None]] = {}  # by study and number
        self._whole: dict[str, WholeRuns] = {}  # by study
        self._odd: dict[tuple[str, int], bool] = {}  # what was found of a trial that is hopeless, and goes on
        self._named_direction = {"error": True, "loss": True, "accuracy": False, "percent": False}.get(
            metric if isinstance(metric, str) and bounds is None else ""
        )

    @never_harm(otherwise=False)
    def prune(self, study: Any, trial: Any) -> bool:
        """The whole trial is read each time, so that it can be resumed anywhere: what is kept only saves time."""
        minimise = self._minimise(study)
        self._read_complete(study, minimise)
        finished = self._whole[study.study_name].calibrating
        stopper = self._fed(trial, minimise, best=self._best(study.study_name, minimise), finished=finished)
        reported = sorted(trial.intermediate_values)
        seen = len(stopper.values)
        if not reported or reported[-1] not in stopper.steps or (seen - stopper.least) % stopper.every:
            return False  # nothing new since the last check
        which = study.study_name, trial.number
        stopper.odd = self._odd.pop(which, None)
        stop: bool = stopper.should_stop()
        if stopper.odd is not None:
            self._odd[which] = stopper.odd
        return stop

    def _fed(self, trial: Any, minimise: bool, **how: Any) -> Stopper:
        stopper = Stopper(**self._how, minimise=minimise, name=f"trial {trial.number}", **how)
        for step, value in sorted(trial.intermediate_values.items()):
            stopper.observe(step, value)
        return stopper

    def _minimise(self, study: Any) -> bool:
        minimise = bool(study.direction == StudyDirection.MINIMIZE)
        if self._named_direction is not None and self._named_direction != minimise:
            way, named = (
                ("minimises", self._how["metric"]) if minimise else ("maximises", self._how["metric"])
            )
            raise UserError(f"the study {way} but the pruner's metric is {named}: set metric, or bounds")
        return minimise

    def _read_complete(self, study: Any, minimise: bool) -> None:
        """Complete trials never change: each is read once."""
        known = self._best_of_trial.setdefault(study.study_name, {})
        whole = self._whole.setdefault(study.study_name, WholeRuns())
        complete = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        new = [trial for trial in complete if trial.number not in known]
        for trial in new:
            values = list(trial.intermediate_values.values()) or [trial.value]
            numbers = [value for value in values if finite(value) is not None]
            known[trial.number] = best_of([numbers], minimise)
        for trial in new[-MOST:] if self._calibrate else []:
            whole.add(trial.number, self._fed(trial, minimise))

    def _best(self, study_name: str, minimise: bool) -> float | None:
        known = list(self._best_of_trial[study_name].values())  # other threads may add to it
        return best_of([[best] for best in known if best is not None], minimise)
