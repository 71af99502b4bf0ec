"""Hugging Face's Trainer: a callback that forecasts one value of the evaluations. It advises; with act=True it stops.

Trainer(..., callbacks=[CurvecastCallback("eval_accuracy", best=0.78)])

A training that was resumed needs no memory of ours: the log of the trainer has all evaluations.
"""

from collections.abc import Callable
from typing import Any

from curvecast.forecasting.schedule import given, schedule_of
from curvecast.ground.errors import UserError, demand
from curvecast.logs.direction import less_is_better
from curvecast.while_training.check import decides, never_harm
from curvecast.while_training.watched import Watched, Watching, says_metric

try:
    from transformers import TrainerCallback
    from transformers.trainer_callback import ExportableState
    from transformers.utils.logging import get_logger
except ImportError:
    raise ImportError("transformers is not installed: pip install 'curvecast[huggingface]'") from None

TRAINER = "trainer"  # where the schedule is from
SETTINGS = ("delta", "target", "least", "every", "act", "doubtful", "name")  # that JSON can hold
LOG = get_logger("transformers.curvecast")  # whose level is that of warnings, unless the user chose another


class CurvecastCallback(Watching, TrainerCallback, ExportableState):
    """monitor: the value, such as "eval_loss"; all else as in `Stopper`. The horizon is the trainer's max_steps.

    Without metric, bounds and minimise a value is a loss if the trainer has it as metric_for_best_model with
    greater_is_better=False, or if its name sounds like one; else it is an accuracy.
    schedule="trainer" takes the planned learning rate from the trainer's scheduler, where that knows its rates ahead.
    A run that could stop is one line in the log of transformers; with `tell`, that gets a line of every check.
    """

    def __init__(self, monitor: str, **how: Any):
        named = f"eval_{monitor}" if isinstance(monitor, str) and not monitor.startswith("eval_") else monitor
        schedule = how.get("schedule")
        self._of_trainer = isinstance(schedule, str) and schedule == TRAINER
        self._how = how | {"schedule": None} if self._of_trainer else how
        self._watch(named, loss=isinstance(named, str) and less_is_better(named))

    def on_train_begin(self, args: Any, state: Any, control: Any, lr_scheduler: Any = None, **_: Any) -> None:
        """A new run, or one that goes on."""
        self.watched.begin()
        if args.metric_for_best_model in (self.watched.monitor, self.watched.monitor[5:]):
            self._agree(args.greater_is_better)
        if self._of_trainer:
            self.watched.stopper.schedule = schedule_of(_rates_of(lr_scheduler))
        self._resume(state)

    def state(self) -> dict[str, Any]:
        """For the trainer's checkpoints: settings. The values are in its log; `finished`, `tell`, a function are no JSON."""
        stopper, told = self.watched.stopper, self._how.get("horizon") is not None
        kept = {name: getattr(stopper, name) for name in SETTINGS}
        kept |= {name: stopper.state_dict()[name] for name in ("best", "minimise", "bounds")}
        kept |= {"others": None if stopper.alone else [], "horizon": stopper.horizon if told else None}
        kept |= {"schedule": TRAINER if self._of_trainer else given(stopper.schedule)}
        return {"args": kept | {"monitor": self.watched.monitor}, "attributes": {}}

    def _watch(self, monitor: str, loss: bool) -> None:
        how = self._how | {"metric": "loss"} if loss and not says_metric(self._how) else self._how
        self.watched = Watched(monitor, how, LOG.warning)

    @never_harm(otherwise=None)
    def _resume(self, state: Any) -> None:
        for entry in state.log_history:
            if self.watched.monitor in entry:
                self.watched.stopper.take(entry["step"], entry[self.watched.monitor])

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> Any:
        if state.max_steps <= 0:  # an evaluation outside of a training
            return control
        values = metrics or {}
        # one of several data sets has its own values alone
        self.watched.refuse(values, complete="eval_runtime" in values)
        stop = state.is_world_process_zero and self.watched.decide(
            lambda: state.global_step, lambda: state.max_steps, values
        )
        if self.watched.act and decides(bool(stop), args.device):
            control.should_training_stop = True
        return control

    def _agree(self, greater_is_better: bool | None) -> None:
        minimise = self.watched.stopper.minimise
        if greater_is_better is None or greater_is_better != minimise:
            return
        if minimise or says_metric(self._how):
            ways = ("lower", "higher") if minimise else ("higher", "lower")
            told = f"{ways[0]} {self.watched.monitor} is better for the callback, {ways[1]} for the trainer"
            raise UserError(f"{told}: set metric, or greater_is_better")
        self._watch(self.watched.monitor, loss=True)


def _rates_of(scheduler: Any) -> Callable[[float], float]:
    """Of transformers' own schedulers a factor at any step; others know their next rate at most."""
    scheduler = getattr(scheduler, "scheduler", scheduler)  # accelerate wraps it
    factors = getattr(scheduler, "lr_lambdas", None) or []
    lacks = f"the trainer's scheduler, {type(scheduler).__name__}, does not know its rates ahead"
    demand(factors, f"{lacks}: give the schedule itself")
    return lambda step: float(factors[0](step))
