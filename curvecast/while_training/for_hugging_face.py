"""Hugging Face's Trainer: a callback that forecasts one value of the evaluations. It advises; with act=True it stops.

Trainer(..., callbacks=[CurvecastCallback("eval_accuracy", best=0.78)])

A training that was resumed needs no memory of ours: the log of the trainer has all evaluations.
"""

from typing import Any

from curvecast.while_training import rank_zero
from curvecast.while_training.never_harm import never_harm
from curvecast.while_training.watched import Watched, Watching

try:
    from transformers import TrainerCallback
    from transformers.utils.logging import get_logger
except ImportError:
    raise ImportError("transformers is not installed: pip install 'curvecast[huggingface]'") from None

LOG = get_logger("transformers.curvecast")  # whose level is that of warnings, unless the user chose another


class CurvecastCallback(Watching, TrainerCallback):
    """monitor: the value, such as "eval_loss"; all else as in `Stopper`. The horizon is the trainer's max_steps.

    A run that could stop is one line in the log of transformers; with `tell`, that gets a line of every check.
    """

    def __init__(self, monitor: str, **how: Any):
        named = f"eval_{monitor}" if isinstance(monitor, str) and not monitor.startswith("eval_") else monitor
        self.watched = Watched(named, how, LOG.warning)

    @never_harm(otherwise=None)
    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """A new run, or one that goes on."""
        self.watched.begin()
        if args.metric_for_best_model in (self.watched.monitor, self.watched.monitor[5:]):
            self._ask_direction(args.greater_is_better)
        for entry in state.log_history:
            if self.watched.monitor in entry:
                self.watched.stopper.observe(entry["step"], entry[self.watched.monitor])

    def on_evaluate(self, args: Any, state: Any, control: Any, metrics: Any = None, **_: Any) -> Any:
        if state.max_steps <= 0:  # an evaluation outside of a training
            return control
        stop = state.is_world_process_zero and self.watched.decide(
            lambda: state.global_step, lambda: state.max_steps, metrics or {}
        )
        if self.watched.act and rank_zero.decides(bool(stop), args.device):
            control.should_training_stop = True
        return control

    def _ask_direction(self, greater_is_better: bool | None) -> None:
        minimise = self.watched.stopper.minimise
        if greater_is_better is not None and greater_is_better == minimise:
            ways = ("lower", "higher") if minimise else ("higher", "lower")
            told = f"{ways[0]} {self.watched.monitor} is better for the callback, {ways[1]} for the trainer"
            self.telling.once("direction", f"{told}: set metric or minimise")
