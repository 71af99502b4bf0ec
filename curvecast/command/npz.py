"""Curves as npz files: sample some from the prior, score weights on some."""

import argparse
import io
import json
import sys

import numpy as np

from curvecast.curves import prior
from curvecast.ground import whole_file
from curvecast.ground.errors import demand
from curvecast.scores.evaluate import read_curves, table
from curvecast.training.train import load

# column: (field of evaluate.table, width)
COLUMNS = {
    "ll": ("ll", 8), "± se": ("ll_se", 7), "crps": ("crps", 8), "mse noisy": ("mse_noisy", 10),
    "mse clean": ("mse_clean", 10), "cover 50 %": ("cover50", 10), "cover 90 %": ("cover90", 10),
}  # fmt: skip


def sample(options: argparse.Namespace) -> None:
    """Arrays clean and noisy (n, length), sigma (n,); the whole file or none."""
    n, length, output = options.n, options.length, options.output
    demand(n >= 1 and length >= 2, "-n must be at least 1 and --length at least 2")
    demand(options.seed >= 0, f"seed {options.seed} is negative: take 0 or more")
    curves = prior.sample(prior.PriorConfig(length=length), n, np.random.default_rng(options.seed))
    path = output if output.suffix == ".npz" else output.with_name(output.name + ".npz")
    data = io.BytesIO()
    np.savez_compressed(data, **{name: array.numpy() for name, array in curves._asdict().items()})
    whole_file.write(path, data.getvalue())
    print(f"{n} curves of {length} epochs in {path}", file=sys.stderr)


def evaluate(options: argparse.Namespace) -> None:
    rows = table(load(options.weights), read_curves(options.curves), options.cutoffs)
    if options.json:
        print(json.dumps({"cutoffs": rows}))
        return
    print(f"{'cutoff':>6} " + " ".join(f"{title:>{width}}" for title, (_, width) in COLUMNS.items()))
    for row in rows:
        cells = [(row[field], width) for field, width in COLUMNS.values()]
        text = " ".join(f"{'-' if cell is None else format(cell, '.4f'):>{width}}" for cell, width in cells)
        print(f"{row['cutoff']:>6} {text}")
