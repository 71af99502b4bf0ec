"""The pruner lives in the package curvecast, whose wheel brings the network's weights."""

from curvecast.while_training.for_optuna import CurvecastPruner

__all__ = ["CurvecastPruner"]
