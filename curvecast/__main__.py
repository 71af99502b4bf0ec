"""python -m curvecast: sample curves of the prior, or judge any weights on any curves.

python -m curvecast sample -n 20000 --seed 1 --length 100 -o curves.npz
python -m curvecast evaluate --weights weights/NAME.safetensors --curves curves.npz --cutoffs 5,10,20,40,70 --json
"""

import argparse
import json
import os
import sys
from pathlib import Path

from curvecast.errors import UserError


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        "python -m curvecast", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)

    sample = commands.add_parser("sample", help="write curves of the prior: arrays clean, noisy, sigma")
    sample.add_argument("-n", type=int, default=1000, help="how many curves (default 1000)")
    sample.add_argument("--seed", type=int, default=0, help="the same seed gives the same curves everywhere")
    sample.add_argument("--length", type=int, default=100, help="epochs of a curve (default 100)")
    sample.add_argument(
        "-o", "--output", type=Path, default=Path("curves.npz"), help="file (default curves.npz)"
    )
    sample.set_defaults(run=run_sample)

    evaluate = commands.add_parser("evaluate", help="log-likelihood, error and coverage at each cutoff")
    evaluate.add_argument("--weights", type=Path, required=True, help="a .safetensors file of ours")
    evaluate.add_argument(
        "--curves", type=Path, required=True, help="npz with noisy (n, epochs); clean if known"
    )
    evaluate.add_argument(
        "--cutoffs", type=cutoffs, default=[5, 10, 20, 40, 70], help="default 5,10,20,40,70"
    )
    evaluate.add_argument("--json", action="store_true", help="print JSON instead of a table")
    evaluate.set_defaults(run=run_evaluate)

    options = parser.parse_args(arguments)
    try:
        options.run(options)
    except UserError as error:
        print(f"curvecast: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("curvecast: stopped; nothing was written", file=sys.stderr)
        return 130
    return 0


def cutoffs(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of epochs such as 5,10,20") from None


def run_sample(options: argparse.Namespace) -> None:
    import numpy as np

    from curvecast import prior

    if options.seed < 0:
        raise UserError(f"seed {options.seed} is negative: take 0 or more")
    config = prior.PriorConfig(length=options.length)
    curves = prior.sample(config, options.n, np.random.default_rng(options.seed))
    path = (
        options.output
        if options.output.suffix == ".npz"
        else options.output.with_name(options.output.name + ".npz")
    )
    part = path.with_name(f".{path.name}.{os.getpid()}.part.npz")
    arrays = {name: array.numpy() for name, array in curves._asdict().items()}
    try:
        np.savez_compressed(part, **arrays)
        os.replace(part, path)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)
    print(f"{options.n} curves of {options.length} epochs in {path}", file=sys.stderr)


def run_evaluate(options: argparse.Namespace) -> None:
    from curvecast import evaluate
    from curvecast.train import load

    rows = evaluate.table(load(options.weights), evaluate.read_curves(options.curves), options.cutoffs)
    if options.json:
        print(json.dumps({"cutoffs": rows}))
        return
    print(
        f"{'cutoff':>6} {'ll':>8} {'± se':>7} {'crps':>8} {'mse noisy':>10} {'mse clean':>10} {'in 50 %':>8} {'in 90 %':>8}"
    )
    for row in rows:
        cells = [
            row["ll"],
            row["ll_se"],
            row["crps"],
            row["mse_noisy"],
            row["mse_clean"],
            row["cover50"],
            row["cover90"],
        ]
        widths = (8, 7, 8, 10, 10, 8, 8)
        text = " ".join(
            f"{'-' if c is None else format(c, '.4f'):>{w}}" for c, w in zip(cells, widths, strict=True)
        )
        print(f"{row['cutoff']:>6} {text}")


if __name__ == "__main__":
    sys.exit(main())
