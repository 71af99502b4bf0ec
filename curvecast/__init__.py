"""curvecast: forecasting learning curves with prior-fitted networks.

prior      what curves we believe in: sample them
bars       the predictive density: buckets of equal prior mass with half-normal tails
buckets    how mass lies within one                              mixture  how it is shared out among them, in short
inputs     numbers to tokens
model      the network that reads the beginning of a curve        heads   and writes such densities
network    what any other must have to be trained in its place
layer      how its tokens read what is known
batches    what a training sees at each step                      steps   and what it does with it
optimiser  Adam, and orthogonalised momentum for matrices         weights files that are whole or not there
train      prior + model -> weights: `trained(config)` is the only cache, `load(path)` reads a file
posterior  of the prior's parameters, given a beginning           mcmc    chains for many posteriors at once
exact      the judge: a forecast by the exact posterior           moves linear noise   how it gets there
cloud      the density that many curves give together
stopping   when a run is hopeless
metrics    arrays in, numbers out: likelihood, CRPS, squared error, coverage
evaluate   any weights on any curves
baselines  what every model must beat: last value,                fits    curves fitted by least squares
forecasting  your own runs: values in, a forecast out            forecasted  what is then known (many, picture)
normalise  your unit and the network's                            epochs  your steps and the network's
ask        many runs in few passes
belief     how odd is a run                                       shipped  the network that comes along
gaps       a training with holes                                  export  the network as an ONNX file
runs       logs: delimited, json_lines, json_whole, events        terminal  the command line (arguments, logs, table,
                                                                  watch, written, completion, doctor, npz)
port       LC-PFN in stock layers                                 encodings  twelve of them (added, relative)
config     hashes of frozen dataclasses                           errors  complaints that a user can act on

Importing this package imports nothing heavy; `curvecast.load` and friends bring torch along when first used.
"""

from typing import Any

__version__ = "0.1.0"
_FROM = {
    "forecast": "forecasting",
    "Forecast": "forecasted",
    "load": "train",
    "trained": "train",
    "TrainConfig": "train",
    "sample": "prior",
    "PriorConfig": "prior",
    "Bars": "bars",
}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _FROM:
        raise AttributeError(f"module 'curvecast' has no attribute {name!r}")
    return getattr(importlib.import_module(f"curvecast.{_FROM[name]}"), name)
