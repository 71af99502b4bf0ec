from ._pruner import CurvecastPruner

__all__ = ["CurvecastPruner"]
