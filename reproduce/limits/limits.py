"""Where does the released model stop working?

Curves of the paper's prior are changed in one way each, observed with gaps, four times as long, and forecast far ahead. Last,
does any of up to sixteen later epochs beat the best so far? A sampled future draws one value after the other, each given the
earlier ones. Three forecasts of that chance are compared with what happened: the share of sampled futures, the same values as
if epochs were independent, and the likeliest epoch alone. Intervals are over curves, paired where two forecasts are compared.

Shapes: F futures, Q epochs.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from curvecast.curves import prior
from curvecast.curves.outside_prior import KINDS, OWN
from curvecast.forecasting import shipped, torch_network
from curvecast.forecasting.api import forecast
from curvecast.training.train import Forecaster
from presswork import AtLeast, AtMost, Between, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import By, by_mean, leads, line, table, those_of
from presswork.style import colour, ink
from reproduce.pictures.panels import bands, dots, legend, panels
from reproduce.protocols import asked

TITLES = {  # of a case, where a page would not understand its name in the rows
    OWN: "unchanged", "loss, not turned": "loss, falling", "in percent": "percentages", "spikes": "outliers",
    "all 20": "epochs 1 to 20", "first 10": "epochs 1 to 10", "without the first five": "epochs 6 to 20",
    "every second": "every second epoch", "every fifth": "every fifth epoch", "every tenth": "every tenth epoch (10 and 20)",
    "a random half": "a random half of the epochs", "the last alone": "epoch 20 alone",
    "asked: between every second": "every second, forecast between them",
    "asked: the first five": "epochs 6 to 20, forecast of 1 to 5", "every epoch, asked beyond 100": "every epoch, beyond 100",
}  # fmt: skip
SHOWN = 20  # epochs that are observed of the curve in full, and where there are gaps
LATER = torch.tensor([61.0, 76.0, 100.0])  # no spikes, and all places of a tooth
COVERAGE, NATS = "coverage of the 90 % interval", "nats per point"
BY_CUTOFF = ["case", "cutoff"]
MEANS: dict[str, tuple[By, *tuple[str, ...]]] = {  # table: of each group of its rows, the means of these columns
    "strange": (BY_CUTOFF, "cover90"), "gaps": ("case", "cover90"),
    "long": (BY_CUTOFF, "cover90", "ll"), "ahead": ("ahead", "cover90", "error", "width"),
}  # fmt: skip
ANSWERS = {  # with titles and colours
    "futures": ("sampled futures", "shipped"),
    "independent": ("independent epochs", "paper"),
    "likeliest": ("likeliest epoch alone", "last"),
}
COVERS, RIGHT = AtLeast(0.8), Between(0.85, 0.95)
OURS = "the released model’s 90 % interval"
STRANGE = (  # name, kind of curve, observed epochs, how the question begins, what yes needs
    ("late_drop", "learning rate drops", 20, "If the learning rate drops after epoch 50, does", COVERS),
    ("late_fall", "overfits", 40, "If a curve has been falling since epoch 30, does", COVERS),
    ("late_divergence", "diverges", 20, "If a run diverges after epoch 55, does", COVERS),
    ("percentages", "in percent", 20, "If the values are percentages, does", COVERS),
    ("heavy_tailed_noise", "heavy-tailed noise", 20, "If the noise is heavy-tailed, does", RIGHT),
)


@dataclass(frozen=True)
class Config:
    curves: int = 250  # of THE test set, the first ones
    several: int = 250  # of them for gaps and long curves
    ahead: int = 1000  # of them for the distances, where each curve gives one point
    cutoffs: tuple[int, ...] = (10, 20, 40)
    distances: tuple[int, ...] = (1, 5, 10, 30, 60, 90)
    futures: int = 20  # of a curve
    best_cutoffs: tuple[int, ...] = (10,)  # where these are sampled
    margins: tuple[float, ...] = (0.0, 0.02, 0.05, 0.1)
    seed: int = 0


SCALES = {
    "smoke": Config(curves=12, several=12, ahead=12, futures=4),
    "laptop": Config(),
    "paper": Config(curves=2000, several=2000, ahead=10_000, futures=100, best_cutoffs=(10, 40)),
}
TABLES = {
    "strange": ("case", "cutoff", "curve", "ll", "cover90"),
    "example": ("case", "epoch", "y", "q05", "q50", "q95"),
    "ahead": ("ahead", "curve", "cover90", "error", "width"),
    "long": ("case", "cutoff", "curve", "ll", "cover90"),  # here a cutoff is a share of the curve, in percent
    "gaps": ("case", "curve", "ll", "cover90"),
    "best": ("curve", "cutoff", "margin", "epochs", "happened", *ANSWERS),
}
PARTS = ("strange", "ahead", "long", "gaps", "best{best_cutoff}")


def measure(config: Config, part: str, best_cutoff: int | None) -> Rows:
    if best_cutoff:
        return {"best": pd.DataFrame(best_of_later(config, best_cutoff)).round(4)}
    net, generator = torch_network.load(shipped.PATH), torch.Generator().manual_seed(config.seed)
    if part == "strange":
        return strange(net, config, generator)
    if part == "ahead":
        many = prior.test_set(config.ahead)
        return {"ahead": asked.ahead(net, many, config.cutoffs[0], config.distances).round(5)}
    if part == "long":
        return {"long": asked.long(net, config.several, config.cutoffs, generator).round(5)}
    return {"gaps": asked.gaps(net, prior.test_set(config.several).noisy, SHOWN, generator).round(5)}


def strange(net: Forecaster, config: Config, generator: torch.Generator) -> Rows:
    """Kinds of curves that the prior does not contain, each at each cutoff with the same late epochs; one curve in full."""
    x, curves, frames, examples = torch.arange(1, 101.0), prior.test_set(config.curves), [], []
    first = int((curves.sigma < 0.01).int().argmax())  # of those with little noise, which hides nothing
    for name, kind in KINDS.items():
        y = kind.make(curves, generator)
        for c in config.cutoffs:
            frame = asked.ask(net, x[:c], y[:, :c], LATER, y[:, LATER.long() - 1])
            frame["ll"] += torch.tensor(kind.unit).log().item()  # as a density of the curve itself
            frames.append(frame.assign(case=name, cutoff=c))
        one = y[first : first + 1]
        density = net.predict(x[None, :SHOWN], one[:, :SHOWN], x[None, SHOWN:])
        example = pd.DataFrame({"case": name, "epoch": range(1, 101), "y": one[0].numpy()})
        for level in (0.05, 0.5, 0.95):
            example.loc[SHOWN:, f"q{100 * level:02.0f}"] = density.quantile(level)[0].numpy()
        examples.append(example)
    return {"strange": pd.concat(frames).round(5), "example": pd.concat(examples)}


def best_of_later(config: Config, cutoff: int) -> Iterator[dict[str, float]]:
    noisy = prior.test_set(config.curves).noisy
    seen = noisy[:, :cutoff]
    within = ((seen >= 0) & (seen <= 1)).all(1).nonzero()[:, 0]  # as an accuracy is
    for i, run in zip(within.tolist(), forecast(seen[within].numpy(), check=False), strict=True):
        steps, values = run.futures(config.futures, seed=config.seed + i)  # (Q,), (F, Q)
        later, so_far = noisy[i].numpy()[steps.astype(int) - 1], float(seen[i].max())
        for margin in config.margins:
            happened = int(later.max() > so_far + margin)
            row = {"curve": i, "cutoff": cutoff, "margin": margin, "epochs": len(steps), "happened": happened}
            yield row | chances(values, so_far + margin)


def chances(values: np.ndarray, t: float) -> dict[str, float]:
    """That any epoch exceeds t, from values (F, Q)."""
    above = values > t
    by_epoch = above.mean(0)  # (Q,)
    return {
        "futures": float(above.any(1).mean()),
        "independent": float(1 - np.prod(1 - by_epoch)),
        "likeliest": float(by_epoch.max()),
    }


def estimates(rows: Rows) -> Estimates:
    """Means by {(table, column, case or distance or (case, cutoff))}; {(answer, cutoff, margin): the chance that is forecast,
    minus the share of curves on which it happened}; what two outliers cost, by the name of its claim."""
    found: Estimates = {}
    for of, (by, *columns) in MEANS.items():
        for column in columns:
            means = by_mean(rows[of], by, column, Interval.of_many)
            found |= {(of, column, key): one for key, one in means.items()}
    said = rows["best"].melt(["curve", "cutoff", "margin", "happened"], [*ANSWERS], "answer", "chance")
    said["over"] = said["chance"] - said["happened"]
    found |= by_mean(said, ["answer", "cutoff", "margin"], "over")
    above = leads(where(rows["strange"], cutoff=SHOWN), "case", OWN, "ll", "curve", Interval.of_many)
    spikes = above.get("spikes")
    return found | there({"outliers_cost": spikes and spikes.negated()})


def draw(rows: Rows, found: Estimates) -> dict[str, Figure]:
    drawn = {"strange": draw_strange, "gaps": draw_gaps, "best": draw_best}
    return {name: made(rows, found) for name, made in drawn.items() if len(rows[name])}


def draw_strange(rows: Rows, found: Estimates) -> Figure:
    covers = those_of(those_of(found, "strange"), "cover90")
    shares = {case: one.value for (case, cutoff), one in covers.items() if cutoff == SHOWN}
    titles = [f"{TITLES.get(case, case)}: coverage {100 * share:.0f} %" for case, share in shares.items()]
    figure, axes = panels(titles, (9, 9), 3, across="epoch", up="value of the curve", sharex=True)
    for axis, case in zip(axes, shares, strict=True):
        _one_curve(axis, where(rows["example"], case=case))
    legend(figure, axes, 4)
    return figure


def _one_curve(axis: Axes, curve: pd.DataFrame) -> None:
    """Points and interval; the axis is cut where the interval has far outliers, never where points lie."""
    seen, later = curve[curve["q50"].isna()], curve[curve["q50"].notna()]
    bands(axis, later["epoch"], later, colour("shipped"), {("q05", "q95"): 0.25}, "90 % interval")
    axis.plot(later["epoch"], later["q50"], color=colour("shipped"), label="median")
    axis.plot(later["epoch"], later["y"], ".", color=ink(), markersize=2.5, label="future points")
    axis.plot(seen["epoch"], seen["y"], ".", color=colour("paper"), markersize=4, label="observed points")
    axis.axvline(SHOWN + 0.5, color=style.faint(), linewidth=1)
    axis.set_xlim(0, 101)


def draw_gaps(rows: Rows, found: Estimates) -> Figure:
    figure, axis = plt.subplots(figsize=(7.4, 4.2))
    axis.axvline(0.9, color=ink(), linewidth=1, linestyle=":")
    covers = those_of(those_of(found, "gaps"), "cover90")
    named = [(TITLES.get(case, str(case)), one) for case, one in covers.items()]
    dots(axis, named[::-1], fmt="o", color=colour("shipped"), markersize=5)
    axis.set(xlabel=COVERAGE, xlim=(0, 1))
    axis.grid(axis="y", visible=False)
    return figure


def draw_best(rows: Rows, found: Estimates) -> Figure:
    """Forecast chance minus what happened, by margin; a panel for each number of observed epochs."""
    cutoffs = sorted(set(rows["best"]["cutoff"]))
    size = (max(7.5, 4.6 * len(cutoffs)), 3.4)
    figure, axes = panels([f"{c} epochs observed" for c in cutoffs], size, sharey=True)
    for axis, cutoff in zip(axes, cutoffs, strict=True):
        for number, (answer, (name, of)) in enumerate(ANSWERS.items()):
            over = those_of(those_of(found, answer), cutoff)
            beside = {margin + 0.002 * (number - 1): one for margin, one in over.items()}
            line(axis, beside, marker="o", markersize=4, color=colour(of), label=name)
        axis.axhline(0, color=ink(), linewidth=0.8)
        axis.set_xlabel("margin over the best so far")
    axes[0].set_ylabel("forecast chance − share of curves")
    legend(figure, axes, 3)
    return figure


def tabulate(found: Estimates, config: Config) -> Rows:
    what = {TITLES.get(name, name): kind.make.__doc__ or "" for name, kind in KINDS.items()}
    covers = those_of(those_of(found, "strange"), "cover90")
    cases = {case: TITLES.get(case, case) for case, _ in covers}
    changed = table(covers, "curves", cases, {cutoff: f"{cutoff} epochs" for _, cutoff in covers}, percent)
    changed.insert(1, "what is changed", [" ".join(what[title].split()) for title in changed["curves"]])
    ahead = {
        ("ahead", "error", ...): ("error of the median", ".4f"),
        ("ahead", "width", ...): ("width of the 90 % interval", ".3f"),
        ("ahead", "cover90", ...): (COVERAGE, percent),
    }
    made = {
        "strange": changed,
        "ahead": table(found, "epochs ahead", config.distances, ahead, only_measured=True),
    }
    return {name: one for name, one in made.items() if len(one)}


def percent(one: Interval) -> str:
    return f"{one.times(100).plus_minus('.1f')} %"


def claims(config: Config) -> list[Claim]:
    far, few = max(config.distances), config.cutoffs[0]
    end = f"how often any of sixteen later epochs beats the best of {few} by 0.05?"
    asks = {COVERS: "still cover the points", RIGHT: "keep its coverage"}
    return [
        *(Claim(name, f"{begin} {OURS} after {cutoff} epochs {asks[needs]} at epochs 61, 76 and 100?",
                ("strange", "cover90", (case, cutoff)), needs, "%")
          for name, case, cutoff, begin, needs in STRANGE),
        Claim("outliers_cost", "Do two outliers among 20 points leave the released model’s score on later points as it is?",
              "outliers_cost", AtMost(0), NATS),
        Claim("two_epochs", f"Given epochs 10 and 20 alone, does {OURS} keep its coverage?",
              ("gaps", "cover90", "every tenth"), RIGHT, "%"),
        Claim("the_past", f"Given epochs 6 to 20, does {OURS} cover epochs 1 to 5?",
              ("gaps", "cover90", "asked: the first five"), COVERS, "%"),
        Claim("far_ahead", f"After ten epochs of the prior’s own curves, is the coverage of {OURS} right {far} epochs ahead?",
              ("ahead", "cover90", far), RIGHT, "%"),
        Claim("thinned_runs", f"On curves of 400 epochs, with every fourth of the first {4 * few} observed and renumbered, "
              f"does {OURS} keep its coverage?",
              ("long", "cover90", ("every fourth, renumbered", few)), RIGHT, "%"),
        Claim(f"futures_said_at_{few}", f"Do sampled futures of the released model about match {end}",
              ("futures", few, 0.05), Between(-0.1, 0.1)),
        Claim(f"independent_said_at_{few}", "Do the released model’s epochs, treated as independent, avoid overstating "
              f"{end}", ("independent", few, 0.05), AtMost(0)),
    ]  # fmt: skip
