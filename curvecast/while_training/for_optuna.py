"""Optuna: a pruner that forecasts each trial. It advises; with act=True it prunes.

study = optuna.create_study(direction="maximize", pruner=CurvecastPruner(horizon=100, act=True))
"""

from collections.abc import Callable
from typing import Any

from curvecast.ground.errors import UserError
from curvecast.while_training.measured import best_of, finite
from curvecast.while_training.never_harm import never_harm
from curvecast.while_training.stopper import LEAST, Stopper
from curvecast.while_training.telling import Telling

try:
    from optuna.pruners import BasePruner
    from optuna.study import StudyDirection
    from optuna.trial import TrialState
except ImportError:
    raise ImportError("Optuna is not installed: pip install 'curvecast[optuna]' brings it") from None


class CurvecastPruner(BasePruner):
    """A trial is hopeless when none of its later values has a chance above delta to beat the best that is known.

    That is the best value of the trial itself and of all complete trials. Pruned and failed trials do not count.

    horizon   the step of the last report of a whole trial
    metric    "accuracy", "percent", "error", "loss", or bounds such as (0, 500); the study says whether less is better
    act       True: hopeless trials are pruned; False: a line says which could be
    Others as in `Stopper`.
    """

    def __init__(
        self, horizon: float, metric: str | tuple[float, float] = "accuracy", *,
        bounds: tuple[float, float] | None = None, delta: float = 0.05, least: int = LEAST, every: int = 1,
        act: bool = False, tell: Callable[[str], object] | None = None,
    ):  # fmt: skip
        self._how: dict[str, Any] = {
            "horizon": horizon, "metric": metric, "bounds": bounds, "delta": delta, "least": least, "every": every,
            "act": act, "tell": Telling(tell),
        }  # fmt: skip
        self.telling: Telling = self._how["tell"]
        Stopper(**self._how)  # what cannot be meant is refused now, and not in the first trial
        self._best_of_trial: dict[str, dict[int, float | None]] = {}  # by study and number
        self._named_direction = {"error": True, "loss": True, "accuracy": False, "percent": False}.get(
            metric if isinstance(metric, str) and bounds is None else ""
        )

    @never_harm(otherwise=False)
    def prune(self, study: Any, trial: Any) -> bool:
        """The whole trial is read each time, so that one that was resumed needs no memory of ours."""
        minimise = self._minimise(study)
        best = self._best(study, minimise)
        stopper = Stopper(**self._how, minimise=minimise, best=best, name=f"trial {trial.number}")
        reported = sorted(trial.intermediate_values.items())
        for step, value in reported:
            stopper.observe(step, value)
        seen = len(stopper.values)
        if not reported or reported[-1][0] not in stopper.steps or (seen - stopper.least) % stopper.every:
            return False  # nothing new since the last look
        return stopper.should_stop()

    def _minimise(self, study: Any) -> bool:
        minimise = bool(study.direction == StudyDirection.MINIMIZE)
        if self._named_direction is not None and self._named_direction != minimise:
            way, named = (
                ("minimises", self._how["metric"]) if minimise else ("maximises", self._how["metric"])
            )
            raise UserError(
                f"the study {way} and the pruner's metric is {named}: give the metric, or its bounds"
            )
        return minimise

    def _best(self, study: Any, minimise: bool) -> float | None:
        """Of complete trials, which never change: each is read once."""
        known = self._best_of_trial.setdefault(study.study_name, {})
        for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)):
            if trial.number not in known:
                values = list(trial.intermediate_values.values()) or [trial.value]
                numbers = [value for value in values if finite(value) is not None]
                known[trial.number] = best_of([numbers], minimise)
        return best_of([[best] for best in known.values() if best is not None], minimise)
