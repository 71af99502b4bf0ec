"""MODEL_CARD.md, which lies beside the weights: made from the header of the weights and from published results."""

import csv
import json
from pathlib import Path

from curvecast.forecasting import shipped, torch_network
from curvecast.ground import weights
from presswork.answers import claims_file
from presswork.claim_text import Claim, answer, needed, question, value
from presswork.contract import ROOT, SCALES

PATH = shipped.PATH.with_name("MODEL_CARD.md")

TEXT = """# The {title} of curvecast

Made by `python -m reproduce ship` and `python -m reproduce card`; not edited by hand. Licence: MIT, as the code.

**What it does.** It reads the first points of a learning curve, in any unit and with holes, and gives a density
for every later epoch. Call it as `curvecast.forecast`.

**Architecture.** A transformer of {layers} layers, width {width}, {heads} heads, {parameters:,} parameters, with a
mixture of {components} normal densities over {buckets} buckets, half of them placed in units of the spread of the
curve's last points. Weights are in half precision, {size:.2f} MB.

**Data.** {curves:,} synthetic curves, each used once; never a real one. Of them {real:.0f} % come from a prior of real runs
(curvecast/curves/laws), which was written and tuned on the real curves of our tuning set; the others come from the prior
of LC-PFN (Adriaensen et al., NeurIPS 2023). In {share:.0f} % of the training curves some observed epochs were left out:
every k-th was kept, or a random share, or a whole beginning and then a few.

**Recipe.** Muon and Adam, one pass, {minutes:.0f} minutes on a CPU that did other work as well.

**How good it is**, in nats per point, on unseen curves of the paper's prior ({scale} scale). *Minutes* is a network of the
same size, trained on a quarter as many whole runs of that prior:

{likelihood}

With holes in the first twenty epochs:

{holes}

{claims}

**Limits.** The page New data has its results on real curves, source by source. Its prior contains
drops of the learning rate, annealed ends, overfitting and collapse, but the model cannot know when they come: it is
given neither a schedule nor hyper-parameters nor other runs. `in_prior` says how odd the observed points are under the
prior; a fall that has not begun cannot be foreseen. A run of more than a hundred epochs is shrunk to a hundred.

**The previous release.** The {previous}, trained on the paper's prior alone, comes with the sources as
`weights="paper-prior"`; the wheel does without it.

**Where a schedule is given.** `forecast(..., schedule=...)` asks another network, the model of
planned rates 0.3: {planned_layers} layers, width {planned_width}, trained on {planned_curves:,} synthetic curves for
{planned_minutes:.0f} minutes on a CPU that did other work as well. It reads the planned learning rate, too
(curvecast/curves/run_prior.py). The page "Where curves come from" says where the plan helps, and where it does harm.
"""


def card() -> str:
    """From the best scale that is there."""
    scale = next(s for s in reversed(SCALES) if (ROOT / "figures" / "shipped" / s / "claims.json").exists())
    folder = ROOT / "figures" / "shipped" / scale
    network = torch_network.load(shipped.PATH)
    planned, info = (weights.read(path)[1] for path in (shipped.PLANNED, shipped.PATH))
    size, history = (json.loads(planned[key]) for key in ("config", "history"))
    config = network.config
    stated = claims_file.by_name((folder / "claims.json").read_bytes())
    return TEXT.format(
        title=shipped.TITLES["released"], previous=shipped.TITLES["paper-prior"],
        layers=config.model.layers, width=config.model.width, heads=config.model.heads,
        components=config.model.components, buckets=len(network.model.borders) - 1, curves=config.curves,
        real=100 * config.prior.real,
        parameters=sum(p.numel() for p in network.model.parameters()),
        size=shipped.PATH.stat().st_size / 1e6, share=100 * json.loads(info["gaps"])["share"],
        minutes=network.history[-1]["seconds"] / 60, scale=scale,
        planned_layers=size["model"]["layers"], planned_width=size["model"]["width"], planned_curves=size["curves"],
        planned_minutes=history[-1]["seconds"] / 60,
        likelihood=_table(folder / "likelihood.table.csv"), holes=_table(folder / "holes.table.csv"),
        claims="\n".join(f"- {_said(claim)}" for claim in stated.values()),
    )  # fmt: skip


def _said(claim: Claim) -> str:
    """The question, its answer, and what was found and needed."""
    return f"{question(claim)} {answer(claim).capitalize()}: {value(claim)}, where {needed(claim)} is needed."


def _table(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
