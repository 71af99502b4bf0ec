"""curvecast: forecasting learning curves with prior-fitted networks. Each room knows nothing of those below it.

ground       what everything stands on: settings and their hashes, errors, whole files, weights
curves       what curves we believe in: sample them
networks     the predictive density, and the networks that write it
latent       curves as a few numbers: autoencoders, and a forecast from a short code
training     from a prior to weights: `trained(config)` is the only cache, `load(path)` reads a file
tables       a small TabPFN: rows of a table into classes, after one pass over it
language     curves as sentences: words for values, and what comes next
exact_bayes  the exact posterior, which a network imitates
scores       how good is a forecast, what must it beat, when is a run hopeless
logs         training logs of all kinds
forecasting  your own runs: values in, a forecast out; the network that comes along
while_training  where will a run end, and could it stop: the Stopper, and callbacks for other libraries
command      the command `curvecast`

Importing this package imports nothing heavy. The installed package holds ground, logs, forecasting, while_training and
command, which need numpy and safetensors alone; all other rooms, and `curvecast.load` and friends, come with the repository.
"""

from typing import Any

__version__ = "0.2.0"
_FROM = {
    "forecast": "forecasting.api",
    "Forecast": "forecasting.forecast",
    "Forecasts": "forecasting.forecasts",
    "Stopper": "while_training.stopper",
    "load": "training.train",
    "trained": "training.train",
    "TrainConfig": "training.train",
    "sample": "curves.prior",
    "PriorConfig": "curves.prior",
    "Bars": "networks.bars",
}
__all__ = ["Forecast", "Forecasts", "Stopper", "forecast"]  # a star brings what does without torch


def __dir__() -> list[str]:
    return sorted({*globals(), *_FROM})


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _FROM:
        raise AttributeError(f"module 'curvecast' has no attribute {name!r}")
    try:
        return getattr(importlib.import_module(f"curvecast.{_FROM[name]}"), name)
    except ModuleNotFoundError as error:
        errors = importlib.import_module("curvecast.ground.errors")
        if not errors.missing_here(error):
            raise
        raise ImportError(f"curvecast.{name} {errors.FROM_THE_CLONE}") from None
