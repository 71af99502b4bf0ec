"""How good are the forecasts, by cutoff, by size of the network, and beside simpler methods?

The recipe was chosen on the first curves of the first test set: claims about printed scores rest on a second one, on which
nothing was chosen, and count the seed-to-seed variation of `head_or_recipe`.
"""

import math
from dataclasses import dataclass, field
from itertools import product

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.ground.config import later
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Below, Claim, Estimates, Interval, Rows, style, there
from presswork.claim import Needs
from presswork.estimates import line, of_each_end, table, those_of, with_errors
from reproduce.pictures.panels import name_lines
from reproduce.printed.numbers import log_likelihood
from reproduce.reproduction._method_scores import above_each, likelihoods, network, simple
from reproduce.reproduction._printed_scores import CUTOFFS, PAPER, above_printed, printed_cells, seed_to_seed
from reproduce.trainings import LARGE, SMALL, TINY, TINY_PAPER

SIMPLE = ("last value", "pow3", "pow4", "mmf4")
NAMES = {"mmf4": "MMF4", "sum": "sum of families"}
STYLE = {"1x64": "small", "2x96": "medium", "3x128": "large", "ours": "ours"}
STYLE |= dict.fromkeys(PAPER, "paper") | {"sum": "sum", "last value": "last"}
STYLE |= {name: name for name in ("pow3", "pow4", "mmf4")}

NATS = "nats per point"
SCORED = ("ll_even", "mse_clean", "crps")  # what tables show
SECOND = "second"  # test set
BEATS = (  # name and cutoff of a claim, the rivals in words and in the rows
    *(("beats_fits", c, "each of three least-squares fits", ("pow3", "pow4", "mmf4")) for c in (10, 40)),
    ("beats_the_sum", 40, "least squares with the sum of all the prior’s families", ("sum",)),
)


@dataclass(frozen=True)
class Config:
    models: dict[str, TrainConfig] = field(default_factory=lambda: SMALL)
    best: str = "3x128"  # of them: the claims are about this one
    curves: int = 10_000  # all of the first test set
    detailed: int = 500  # the first of them, for every measure but the likelihood
    cutoffs: tuple[int, ...] = (5, 10, 20, 40, 70, 80)
    second: int = later(0)  # curves of the second test set, for the best network alone
    summed: int = later(0)  # curves of the first test set for the sum of all families, which is slow to fit
    seeds: str = later("")  # the question whose rows give the seed-to-seed variation


SCALES = {
    "smoke": Config(
        {"P1": TINY_PAPER} | TINY, "1x16", curves=40, detailed=20, cutoffs=(10, 40), second=40, summed=8,
        seeds="head_or_recipe/paper",
    ),
    "laptop": Config(curves=1000, detailed=100, second=2_500, summed=100, seeds="head_or_recipe/paper"),
    # the same networks on more curves, and P1 to P3 trained again
    "paper": Config(SMALL | LARGE, curves=2500, detailed=200, second=10_000, summed=500, seeds="head_or_recipe/paper"),
}  # fmt: skip
NOT_AT_SMOKE_SCALE = {"models.precision": "half precision is for a GPU, which smoke scale does without"}
NOT_TESTED = dict.fromkeys(
    ("reproduces_p1", "reproduces_p2", "reproduces_p3"),
    "nobody has run paper scale, where networks are trained on ten million curves",
)
SCORES = ("ll_even", "ll", "crps", "mse_noisy", "cover50", "cover90", "mse_clean")
TABLES = {
    # and parameters, of networks
    "rows": ("method", "cutoff", "n", *SCORES, *(f"{score}_se" for score in SCORES), ...),
    "history": ("method", "curves", "loss", "seconds"),
    "each": (...,),  # a column for each method and cutoff
    "second": ("method", "cutoff", "n", "ll_even", "ll_even_se", "ll", "ll_se"),
    "luck": ("cutoff", "seeds", "sd"),
}
STOPWATCHES = ("history.seconds",)

PARTS = ("{model}", "simple", "sum", "second")


def needs(config: Config, part: str, model: str | None) -> list[TrainConfig]:
    model = config.best if part == "second" else model
    return [config.models[model]] if model else []


def reads(config: Config) -> list[str]:
    return [config.seeds]


def measure(config: Config, part: str, model: str | None, read: dict[str, Rows]) -> Rows:
    if part == "second":
        forecaster, fresh = trained(config.models[config.best]), prior.second_test_set(config.second)
        second = likelihoods(config.best, forecaster, fresh, CUTOFFS)
        return {"second": pd.DataFrame(second), "luck": seed_to_seed(read[config.seeds]["seeds"])}
    curves = prior.test_set(config.summed if part == "sum" else config.curves)
    history = pd.DataFrame(columns=["method", "curves", "loss", "seconds"])
    if model:
        forecaster = trained(config.models[model])
        found = [network(model, forecaster, curves, c, config.detailed) for c in config.cutoffs]
        history = pd.DataFrame(forecaster.history, columns=["curves", "loss", "seconds"]).assign(method=model)
    else:
        pairs = product(["sum"] if part == "sum" else [*SIMPLE, "oracle"], config.cutoffs)
        found = [simple(method, curves, cutoff, config.detailed) for method, cutoff in pairs]
    rows = pd.DataFrame([row for row, _ in found])
    each = {f"{row['method']}@{row['cutoff']}": ll.numpy().round(3) for row, ll in found}
    return {"rows": rows, "history": history, "each": pd.DataFrame(each)}


def estimates(rows: Rows, config: Config) -> Estimates:
    """{(score, method, cutoff): its mean on the first test set; (SECOND, method, cutoff): log-likelihood on the second;
    ("settings", "parameters", network): how many}, and differences by the names of their claims."""
    best, key, luck = config.best, ["method", "cutoff"], rows["luck"]
    found = {(s, *of): one for s in SCORED for of, one in with_errors(rows["rows"], key, s).items()}
    found |= {(SECOND, *of): one for of, one in with_errors(rows["second"], key, "ll_even").items()}
    first, second = (found.get((s, best, 10)) for s in ("ll_even", SECOND))
    above = {paper: above_printed(rows["second"], best, paper, luck) for paper in ("P1", "P2")}
    differences = {f"reaches_{paper.lower()}_at_10": one.get(10) for paper, one in above.items()}
    differences["first_set_does_not_flatter"] = first and second and first.minus(second)
    weights = {
        ("settings", "parameters", name): Interval.exactly(own["parameters"].iloc[0])
        for name, own in rows["rows"].groupby("method") if name in config.models
    }  # fmt: skip
    differences |= {f"{name}_at_{c}": above_each(rows["each"], best, fits, c) for name, c, _, fits in BEATS}
    return found | there(differences | weights) | farthest_from_printed(rows["rows"])


def farthest_from_printed(rows: pd.DataFrame) -> Estimates:
    """Of the paper’s recipe, by the names of their claims: the largest difference from a printed score at any cutoff."""
    found = {}
    for paper in PAPER:
        gaps = above_printed(rows, paper, paper).values()
        if worst := of_each_end(max, (Interval.around(abs(gap.value), gap.half) for gap in gaps)):
            found[f"reproduces_{paper.lower()}"] = worst.ends(worst.value, max(0.0, worst.low), worst.high)
    return found


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    """Each method against the oracle, which knows the noise-free curve; a logarithmic axis fits both fits and networks."""
    figure, axis = plt.subplots(figsize=(7.6, 5.0))
    axis.set(xscale="log", yscale="log")
    scores, ends = those_of(found, "ll_even"), {}
    for method, look in STYLE.items():
        if mine := those_of(scores, method):
            styled = style.line(look, marker="o", markersize=4)
            lost = line(axis, mine, lambda ll: prior.ORACLE_LL - ll, **styled)
            ends[style.name(look)] = (lost[-1], style.colour(look))
    for marker, paper in zip("Dso", PAPER, strict=True):
        lost = [prior.ORACLE_LL - (log_likelihood(paper, c) or math.nan) for c in CUTOFFS]
        axis.plot(CUTOFFS, lost, marker=marker, markersize=6, color=style.colour("paper"), linestyle="none",
                  fillstyle="none")  # fmt: skip
        ends[f"{paper}, printed"] = (lost[-1], style.colour("paper"))
    seen = sorted(set(rows["rows"]["cutoff"]))
    axis.set_xticks(seen, [str(c) if c != 70 else "" for c in seen])  # next to 80 there is no room for a name
    axis.minorticks_off()
    axis.yaxis.set_major_formatter("{x:g}")
    axis.set(xlabel="observed epochs, of 100", ylabel="nats per point below the oracle (lower is better)")
    name_lines(axis, ends, room=0.05)
    return {"likelihood": figure}


def tabulate(found: Estimates, config: Config) -> Rows:
    lines = {method: shown(method) for method in (*config.models, *SIMPLE, "sum", "oracle")}
    errors, crps = ({(score, ..., c): f"{c} %" for c in config.cutoffs} for score in ("mse_clean", "crps"))
    return {
        "likelihood": scores_table(found, lines, config),
        "mse": table(found, "method", lines, errors, ".3f", times=1000, only_measured=True),
        "crps": table(found, "method", lines, crps, ".2f", times=1000, only_measured=True),
    }


def shown(method: str) -> str:
    return method.replace("x", " × ") if method[0].isdigit() else NAMES.get(method, method)


def scores_table(found: Estimates, lines: dict[str, str], config: Config) -> pd.DataFrame:
    """The second test set follows the first, and printed scores all others; they are known without errors."""
    titles, columns = {}, {c: f"{c} %" for c in config.cutoffs}
    for method, title in lines.items():
        titles["ll_even", method] = title
        if method == config.best:
            titles[SECOND, method] = f"{title}, second test set"
    printed = [{"method": f"{paper}, printed"} | printed_cells(paper, columns) for paper in PAPER]
    ours = table(found, "method", titles, columns, ".3f", only_measured=True)
    return pd.concat([ours, pd.DataFrame(printed)], ignore_index=True)


def claims(found: Estimates, config: Config) -> list[Claim]:
    model = config.models[config.best].model
    size = f"{model.layers} × {model.width}"
    higher = f"does this {size} network score hardly higher on the curves on which its recipe was chosen"

    def claim(name: str, asks: str, needs: Needs) -> Claim:
        return Claim(name, asks, name, needs, NATS)

    return [
        *(claim(f"reaches_{paper.lower()}_at_10", f"After 10 % of the epochs, does our {size} network score at least as "
                f"high as the paper prints for {PAPER[paper]}?", AtLeast(0)) for paper in ("P1", "P2")),
        claim("first_set_does_not_flatter", f"After 10 epochs, {higher} than on a second set of curves?", AtMost(0.05)),
        *(claim(f"{name}_at_{c}", f"After {c} % of the epochs, does this {size} network score higher than {rivals}?",
                Above(0)) for name, c, rivals, _ in BEATS),
        *trained_as_printed(),
    ]  # fmt: skip


def trained_as_printed() -> list[Claim]:
    """At paper scale: the paper’s recipe against its printed scores."""
    asks = "Does {}, trained again with the paper’s recipe, score as printed at every cutoff?"
    names = {f"reproduces_{paper.lower()}": asks.format(title) for paper, title in PAPER.items()}
    return [Claim(name, asked, name, Below(0.03), NATS) for name, asked in names.items()]
