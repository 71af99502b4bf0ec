"""What does each change of a transformer’s block bring, one at a time, at equal parameters?

The plain block is the encoder of `architectures`. Each variant differs from it in one switch, with the width at which it has
as many parameters. Trainings at a rate that is too high count how often a block breaks; training steps, and attention to a
cached past, are timed in turns.
"""

from dataclasses import dataclass
from functools import partial

import matplotlib.pyplot as plt
import pandas as pd
import torch
from matplotlib.figure import Figure
from torch import Tensor
from torch.nn import functional as F

from curvecast.curves import prior
from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.networks.query_network import parameters
from curvecast.training.steps import Training
from reproduce._press import style
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.estimates import Estimates
from reproduce._press.intervals import Interval, in_cell
from reproduce._press.where import Rows, over, where
from reproduce.backbones import _leads, _rows, _trainings
from reproduce.backbones._block_variants import HOT, HOT_VARIANTS, PLAIN, TITLES, VARIANTS
from reproduce.backbones._trainings import CUTOFFS, SETTINGS, Setting
from reproduce.pictures.dots import dots
from reproduce.protocols.timing import core_seconds, in_turns, threads

HEADS, WIDTH, BATCH = 8, 128, 16  # of the attention to a cached past
CONTESTS = {  # name: one variant, another, the question
    "norm_before_pays": (PLAIN, "norm behind", "does normalisation before each sublayer score higher than after it"),
    "parallel_costs": (PLAIN, "parallel", "does a serial block score higher than a parallel one"),
    "one_key_costs": (PLAIN, "one key and value",
                      "do keys and values of each head score higher than one key and value for all heads"),
    "rms_pays": ("RMSNorm", PLAIN, "does RMSNorm score higher than LayerNorm"),
    "geglu_pays": ("GEGLU", PLAIN, "does GEGLU score higher than GELU"),
    "swiglu_pays": ("SwiGLU", PLAIN, "does SwiGLU score higher than GELU"),
    "no_biases_pay": ("no biases", PLAIN, "does a block without biases score higher than one with biases"),
    "more_heads_pay": ("4 heads", PLAIN, "do four heads score higher than two"),
    "depth_pays": ("4 layers", PLAIN, "do four narrower layers score higher than two"),
}  # fmt: skip
KEYS = {"each head": HEADS, "all heads together": 1}  # and as many values
BROKEN = 0.5  # nats per point below the plain block at its own rate
STOPWATCHES = ("rows.seconds", "speeds.step", "looks.seconds")
TABLES = {
    "rows": ("variant", "seed", "width", "parameters", "seconds", "cutoff", "ll"),
    "hot": ("variant", "seed", "ll"),
    "speeds": ("variant", "round", "step"),
    "looks": ("keys", "round", "points", "seconds", "kept"),
}


@dataclass(frozen=True)
class Config:
    variants: tuple[str, ...] = tuple(VARIANTS)
    seeds: int = 3
    setting: str = "Muon, twice"  # with which the encoder learns best, by backbone_rates
    parameters: int = _rows.PARAMETERS
    curves: int = 24_000
    hot_seeds: int = 5
    hot_curves: int = 6_016
    scored: int = 2_000  # curves of the second test set
    rounds: int = 15
    points: tuple[int, ...] = (100, 1_000, 10_000)  # of the cached past


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, hot_seeds=1, hot_curves=64, scored=4, rounds=1, points=(10,)),
    "laptop": Config((PLAIN, "norm behind", "SwiGLU", "parallel"), 1, curves=3_008, hot_seeds=0, scored=500, rounds=5),
    "paper": Config(),
}  # fmt: skip


def parts(config: Config) -> list[str]:
    hot = [f"hot-{seed}" for seed in range(config.hot_seeds)]
    return ["speeds", *(f"seed-{seed}" for seed in range(config.seeds)), *hot]


def measure(config: Config, part: str) -> Rows:
    if part == "speeds":
        readers = {name: reader(name, config.parameters) for name in config.variants}
        speeds = steps(readers, SETTINGS[config.setting], config.rounds)
        return {"speeds": speeds, "looks": looks(config.points, config.rounds)}
    kind, _, seed = part.partition("-")
    y = prior.second_test_set(config.scored).noisy
    if kind == "hot":
        names = [name for name in HOT_VARIANTS if name in config.variants]
        each = pd.concat(_trained(config, name, HOT, config.hot_curves, int(seed), y) for name in names)
        means = each.groupby(["variant", "seed"], sort=False)["ll"].agg(lambda ll: ll.mean(skipna=False))
        return {"hot": means.round(4).reset_index()}
    setting = SETTINGS[config.setting]
    some = [_trained(config, name, setting, config.curves, int(seed), y) for name in config.variants]
    return {"rows": pd.concat(some)}


def reader(name: str, wanted: int) -> ReaderConfig:
    return _rows.reader_of(VARIANTS[name], wanted)


def _trained(config: Config, name: str, setting: Setting, curves: int, seed: int, y: Tensor) -> pd.DataFrame:
    """A line for each cutoff. No number: NaN."""
    model = reader(name, config.parameters)
    done = _trainings.train(_trainings.training(model, setting, curves, seed))
    by_cutoff = _trainings.likelihoods(done.forecaster, y) if done else {}
    each = [round(float(by_cutoff[c].mean()), 4) if c in by_cutoff else float("nan") for c in CUTOFFS]
    return pd.DataFrame({"cutoff": CUTOFFS, "ll": each}).assign(
        variant=name, seed=seed, width=model.width, parameters=parameters(model),
        seconds=round(done.seconds, 1) if done else 0.0,
    )  # fmt: skip


def steps(readers: dict[str, ReaderConfig], setting: Setting, rounds: int) -> pd.DataFrame:
    """Seconds of one core for a training step, all variants in turns."""
    turns = {}
    for name, reader in readers.items():
        train = _trainings.training(reader, setting, 64_000, 0)
        turns[name] = partial(core_seconds, partial(Training(train, train.network()).step, 0))
    with threads():
        return pd.DataFrame(in_turns(turns, rounds), columns=["round", "variant", "step"])[
            ["variant", "round", "step"]
        ]


@torch.inference_mode()
def looks(points: tuple[int, ...], rounds: int) -> pd.DataFrame:
    """One new point attends to many cached keys and values: for each head, or one for all heads together."""
    rows = []
    with threads():
        for T in points:
            turns = {name: partial(timed, T, G) for name, G in KEYS.items()}
            rows += [
                {"keys": name, "round": number, "points": T, "seconds": took, "kept": kept}
                for number, name, (took, kept) in in_turns(turns, rounds)
            ]
    return pd.DataFrame(rows)


def timed(T: int, G: int) -> tuple[float, int]:
    """Seconds, and how many numbers of one past are cached."""
    attend = Attention(WIDTH, HEADS, G)
    kept = attend.kv(torch.randn(BATCH, T, WIDTH))  # (B, T, 2 G d/H)
    return core_seconds(partial(look, attend, torch.randn(BATCH, 1, WIDTH), kept)), kept[0].numel()


def look(attend: Attention, one: Tensor, kept: Tensor) -> Tensor:
    """The forward pass of attention, for cached keys and values.  (B, 1, d), (B, T, 2 G d/H) -> (B, 1, d)"""
    q = attend.q(one).unflatten(-1, (attend.heads, -1)).transpose(1, 2)
    k, v = (part.unflatten(-1, (attend.kv_heads, -1)).transpose(1, 2) for part in kept.chunk(2, -1))
    mixed = F.scaled_dot_product_attention(q, k, v, enable_gqa=attend.kv_heads < attend.heads)
    return attend.out(mixed.transpose(1, 2).flatten(2))


# -------------------------------------------------------------------------------------------- estimates


def leads(table: pd.DataFrame) -> Estimates:
    """Of each variant over the plain block, and in each contest, in nats per point."""
    return _leads.leads(table, PLAIN, [(one, other) for one, other, _ in CONTESTS.values()])


def broken(rows: Rows, name: str) -> float:
    """How many trainings at the rate that is too high became NaN, or learnt next to nothing."""
    level = where(rows["rows"], variant=PLAIN)["ll"].mean() - BROKEN
    return float((~(where(rows["hot"], variant=name)["ll"] >= level)).sum())


# ------------------------------------------------------------------------------------------------ shown


def draw(rows: Rows, config: Config) -> dict[str, Figure]:
    """The difference of each variant from the plain block, and of each training with the same seed."""
    table = _leads.by_seed(rows["rows"], "variant")
    found = leads(table)
    names = [name for name in config.variants if name in table.index and name != PLAIN][::-1]
    figure, axis = plt.subplots(figsize=(7, 0.9 + 0.28 * len(names)))
    ours = style.colour("ours")
    for place, name in enumerate(names):
        ahead = table.loc[name] - table.loc[PLAIN]
        axis.plot(ahead, [place] * len(ahead), ".", color=ours, alpha=0.5)
        dots(axis, [(place, found.get((name, PLAIN)))], color=ours, marker="o", capsize=2)
    axis.axvline(0, color=style.ink(), linewidth=1, linestyle=":")
    axis.set_yticks(range(len(names)), [TITLES.get(name, name) for name in names])
    axis.set_xlabel("log-likelihood minus that of the plain block, nats per point (right is better)")
    return {"ahead": figure}


def tabulate(rows: Rows, config: Config) -> Rows:
    found, lines = leads(_leads.by_seed(rows["rows"], "variant")), []
    for name in config.variants:
        mine, speed, hot = (where(rows[table], variant=name) for table in ("rows", "speeds", "hot"))
        if mine.empty:
            continue
        lines.append({
            "variant": TITLES.get(name, name), "width": mine["width"].iloc[0],
            "parameters": f"{mine['parameters'].iloc[0]:,}", "nats per point": f"{mine['ll'].mean():.3f}",
            "against plain": in_cell(found.get((name, PLAIN)), "+.3f", ""),
            "step, ms": f"{1000 * speed['step'].median():.0f}" if len(speed) else "",
            "broke at rate 0.03": f"{broken(rows, name):.0f} of {len(hot)}" if len(hot) else "",
        })  # fmt: skip
    looks = [
        {"points": f"{points:,}", "keys and values for": keys, "numbers cached": f"{mine['kept'].iloc[0]:,}",
         "milliseconds": f"{1000 * mine['seconds'].median():.2f}"}
        for (points, keys), mine in rows["looks"].groupby(["points", "keys"])
    ]  # fmt: skip
    return {"variants": pd.DataFrame(lines), "looks": pd.DataFrame(looks)}


def claims(rows: Rows) -> list[Claim]:
    found = leads(_leads.by_seed(rows["rows"], "variant"))
    stated = [
        Claim(name, f"In a small transformer, {asks}?", found.get((one, other)), Above(0), "nats per point")
        for name, (one, other, asks) in CONTESTS.items()
    ]
    longest = where(rows["looks"], points=rows["looks"]["points"].max())
    each, together = KEYS
    less = over(longest, "keys", each, together, "kept")
    return [
        *stated,
        Claim("parallel_is_quicker", "Is a training step of the parallel block faster than a step of the serial block?",
              Interval.of_median(over(rows["speeds"], "variant", PLAIN, "parallel", "step")), Above(1), "×"),
        Claim("one_key_keeps_less",
              "Does one key and value for all heads shrink the cache in proportion to the number of heads?",
              Interval.exactly(less[0] if less else None), AtLeast(HEADS), "×"),
        Claim("one_key_is_quicker", "With the longest cached past, is attention faster with one key and value for all heads?",
              Interval.of_median(over(longest, "keys", each, together, "seconds")), Above(1), "×"),
    ]  # fmt: skip
