"""Why did the ports of the student blog score 1.9 to 3.5 where LC-PFN scored 0.0002?"""

from dataclasses import dataclass, field, replace

from curvecast.curves import prior
from curvecast.training.train import TrainConfig, trained
from presswork import Above, AtLeast, AtMost, Below, Between, Claim, Estimates, Interval, Rows, where
from presswork.estimates import grouped
from reproduce.porting.porting import checks, old_port, scores, shown
from reproduce.porting.porting.old_port import Length
from reproduce.porting.porting.scores import ALONE, LAST, printed
from reproduce.trainings import SMALL, TINY

CUTOFF = 15  # of the student blog


@dataclass(frozen=True)
class Config:
    lcpfn: TrainConfig = field(default_factory=lambda: SMALL["3x128"])
    length: Length = Length()
    models: tuple[str, ...] = old_port.LAPTOP
    seeds: int = 3
    curves: int = 300  # of THE test set, the first ones
    group: int = 5  # curves that the old ports are tested on together
    compared: int = 20  # curves on which the port in stock layers and our network are compared
    by_heart: int = 200  # steps to learn one batch


SCALES = {
    "smoke": Config(TINY["1x16"], Length(64, 4, 1, 1, 1), old_port.ALL, 1, curves=20, compared=2, by_heart=2),
    "laptop": Config(seeds=2, curves=200),
    # a reduced budget: about an hour on one core, where no GPU is at hand
    "paper": Config(length=Length(2560, 8, 1200, 32, 60), models=old_port.ALL, curves=1000),
}
TABLES = {
    "equal": ("network", "norm", "cutoff", "difference", "largest", "parameters"),
    "seen": ("network", "view", "row", "column", "value"),
    "checks": ("program", "check", "value", "wanted", "passes"),
    "each": ("curve", "off", "noisy", "model", "seed"),
}


# what is quick first, then a training each, all models of one seed before the next seed
PARTS = ("equal", "seen", "checks", "simple", "{model}-{seed}")


def needs(config: Config, part: str) -> list[TrainConfig]:
    return [config.lcpfn] if part in ("simple", "checks") else []


def measure(config: Config, part: str, model: str, seed: int) -> Rows:
    if part == "equal":
        return {"equal": checks.compare(config.compared)}
    if part == "seen":
        return {"seen": checks.seen(CUTOFF)}
    curves = prior.test_set(config.curves)
    if part == "checks":
        return {"checks": checks.run(trained(config.lcpfn).model, curves, CUTOFF, config.by_heart)}
    if part == "simple":
        return {"each": scores.simple(trained(config.lcpfn), curves, CUTOFF)}
    course = replace(old_port.course(model, config.length), seed=seed)
    told = old_port.forecast(old_port.train(course), curves.noisy[:, :CUTOFF], config.group)
    return {"each": scores.per_curve(model, told, curves).assign(seed=seed)}


def estimates(rows: Rows) -> Estimates:
    """{norm: largest difference of a logit; program: checks passed; (network, "own" or "others"): on how many points of its
    own curve, the third of a batch, and on how many of others a forecast depends}, and what `scores` finds."""
    seen = where(rows["seen"], view="whole batch")
    whose = seen["row"].map(lambda row: "own" if row == 2 else "others")
    lit = seen.assign(whose=whose, lit=seen["value"] > 0)
    return (
        grouped(rows["equal"], "norm", lambda own: Interval.exactly(float(own["difference"].max())))
        | grouped(rows["checks"], "program", lambda own: Interval.exactly(float(own["passes"].sum())))
        | grouped(lit, ["network", "whose"], lambda own: Interval.exactly(float(own["lit"].sum())))
        | scores.estimates(rows["each"])
    )


# ---------------------------------------------------------------------------------------------------- shown

draw, tabulate = shown.draw, shown.tabulate


def claims(rows: Rows) -> list[Claim]:
    """What was not measured, or trained with one seed only, has no answer. The unit is that of the blog; of ports a few each,
    since the others stand in the table. Connections are those of the forecast after fifteen points."""
    every = rows["checks"]["check"].nunique()
    places = {"post": "after the layers, as in the paper", "pre": "before the layers"}
    alone = "Does {} alone raise the squared error of a port without other faults?"
    return [
        *(Claim(f"same_logits_{norm}", f"With the norm {place}, does our port in stock layers give the logits of our "
                "network, up to rounding?", norm, Below(0.00001)) for norm, place in places.items()),
        Claim("old_sees_own", "Does a forecast of the rebuilt port depend on more than one point of its own curve?",
              ("old port", "own"), Above(1)),
        Claim("old_sees_others", "Is a forecast of the rebuilt port independent of the other curves in its batch?",
              ("old port", "others"), AtMost(0)),
        Claim("mended_sees_own", "Does a forecast of the repaired port depend on all observed points of its own curve?",
              ("mended", "own"), AtLeast(15)),
        Claim("ours_passes", "Does our network pass all of our checks for a broken forecaster?",
              "ours", AtLeast(every)),
        Claim("old_fails", "Does the rebuilt port pass more than a few of our checks for a broken forecaster?",
              "old port", Above(2)),
        Claim("mended_passes", "Does the repaired port pass most of our checks for a broken forecaster?",
              "mended port", AtLeast(every - 2)),
        *(Claim(f"{named(model)}_again", f"Rebuilt with its faults, does {port(model)} score in the order of magnitude that "
                "is printed?", (model, "off"), Between(1, 7), "", printed(model, "mean"))
          for model in ("small-free", "small-free-euclidean")),
        *(Claim(f"{named(model)}_loses", f"Is the squared error of {port(model)}, rebuilt with its faults, no larger than "
                "that of repeating the last value?", ((model, "noisy"), LAST), AtMost(0))
          for model in ("large", "small-free")),
        Claim("large_mended_beats_last", f"Repaired, does {port('large')} have a smaller squared error than repeating the "
              "last value?", (LAST, ("large-mended", "noisy")), Above(0)),
        Claim("each_mended_beats_last", "Repaired, does each of the student blog’s four ports have a smaller squared error "
              "than repeating the last value?", "each_mended_beats_last", Above(0)),
        Claim("small_free_knows_nothing", f"Is the squared error of {port('small-free')}, rebuilt with its faults, clearly "
              "smaller than that of the mean of all curves?",
              (("small-free", "noisy"), ("prior-mean", "noisy")), AtMost(-0.5)),
        Claim("lcpfn_in_their_unit", "Is the squared error of LC-PFN, counted as the student blog counts its ports, far "
              "larger than printed?", ("lcpfn", "noisy"), Above(0.1)),
        Claim("memoryless_scores", "Run on its own forecasts, does the best linear rule that reads the last value alone "
              "score in the range of the student blog’s ports?", ("rule-1", "noisy"), Between(1.9, 3.5)),
        Claim("alone_noise_for_lc_pfn", "Do noisy points raise the squared error of LC-PFN?",
              ALONE["noisy points"], Above(0)),
        Claim("alone_dropout", alone.format("dropout"), ALONE["dropout"], Above(0)),
        Claim("alone_attention_over_curves", alone.format("attention over the curves of a batch"),
              ALONE["attention over curves"], Above(0)),
    ]  # fmt: skip


def port(model: str) -> str:
    return f"the student blog’s port “{shown.LABELS[model]}”"


def named(model: str) -> str:
    return model.replace("-", "_")
