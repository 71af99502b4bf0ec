"""What does each change of a transformer’s block bring, one at a time, at equal parameters?

The plain block is the encoder of `architectures`. Each variant differs from it in one switch, with the width at which it has
as many parameters. Training steps, and attention to a cached past, are timed in turns.
"""

from dataclasses import dataclass, replace
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
from curvecast.networks.backbones.transformer import TransformerConfig
from curvecast.networks.heads import parameters
from curvecast.training.steps import Training
from presswork import Above, AtLeast, Claim, Estimates, Interval, Rows, style, there, where
from presswork.estimates import ratios
from reproduce.backbones import _leads, _rows, _trainings
from reproduce.backbones._trainings import CUTOFFS, SETTINGS, Setting
from reproduce.pictures.panels import dots
from reproduce.protocols.timing import core_seconds, in_turns, threads

PLAIN = "plain"
BLOCK = TransformerConfig(heads=2, name="plain")
VARIANTS = {
    PLAIN: BLOCK,
    "norm behind": replace(BLOCK, where="post", name="post"),
    "RMSNorm": replace(BLOCK, norm="rms", name="rms"),
    "GEGLU": replace(BLOCK, feed="geglu", name="geglu"),
    "SwiGLU": replace(BLOCK, feed="swiglu", name="swiglu"),
    "parallel": replace(BLOCK, parallel=True, name="parallel"),
    "one key and value": replace(BLOCK, kv_heads=1, name="multiquery"),
    "no biases": replace(BLOCK, bias=False, name="nobias"),
    "1 head": replace(BLOCK, heads=1, name="heads1"),
    "4 heads": replace(BLOCK, heads=4, name="heads4"),  # eight would leave no width of as many parameters
    "1 layer": replace(BLOCK, layers=1, name="layers1"),
    "4 layers": replace(BLOCK, layers=4, name="layers4"),
}
TITLES = {PLAIN: "plain block", "norm behind": "norm after (post-LN)", "parallel": "parallel block",
          "one key and value": "multi-query attention"}  # fmt: skip
HEADS, WIDTH, BATCH = 8, 128, 16  # of the attention to a cached past
KEYS = {"each head": HEADS, "all heads together": 1}  # and as many values
STOPWATCHES = ("rows.seconds", "speeds.step", "looks.seconds")
TABLES = {
    "rows": ("variant", "seed", "width", "parameters", "seconds", "cutoff", "ll"),
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
    scored: int = 2_000  # curves of the second test set
    rounds: int = 15
    points: tuple[int, ...] = (100, 1_000, 10_000)  # of the cached past


SCALES = {
    "smoke": Config(seeds=2, parameters=4_000, curves=64, scored=4, rounds=1, points=(10,)),
    "laptop": Config((PLAIN, "norm behind", "SwiGLU", "parallel"), 1, curves=3_008, scored=500, rounds=5),
    "paper": Config(),
}  # fmt: skip
PARTS = ("speeds", "seed-{seed}")


def measure(config: Config, seed: int | None) -> Rows:
    readers = {name: _rows.reader_of(VARIANTS[name], config.parameters) for name in config.variants}
    if seed is None:
        speeds = steps(readers, SETTINGS[config.setting], config.rounds)
        return {"speeds": speeds, "looks": looks(config.points, config.rounds)}
    y = prior.second_test_set(config.scored).noisy
    return {"rows": pd.concat(_trained(config, *variant, seed, y) for variant in readers.items())}


def _trained(config: Config, name: str, model: ReaderConfig, seed: int, y: Tensor) -> pd.DataFrame:
    """A line for each cutoff. No number: NaN."""
    done = _trainings.train(_trainings.training(model, SETTINGS[config.setting], config.curves, seed))
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
        taken = [(name, number, took) for number, name, took in in_turns(turns, rounds)]
    return pd.DataFrame(taken, columns=TABLES["speeds"])


@torch.inference_mode()
def looks(points: tuple[int, ...], rounds: int) -> pd.DataFrame:
    """One new point attends to many cached keys and values: for each head, or one for all heads together."""
    rows = []
    with threads():
        for T in points:
            turns = in_turns({name: partial(timed, T, G) for name, G in KEYS.items()}, rounds)
            rows += [(name, number, T, *measured) for number, name, measured in turns]
    return pd.DataFrame(rows, columns=TABLES["looks"])


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


def estimates(rows: Rows) -> Estimates:
    """{variant: nats per point over the plain block}, and by claim the ratios of numbers kept and of seconds."""
    table = _leads.by_seed(rows["rows"], "variant")
    longest, (each, together) = where(rows["looks"], points=rows["looks"]["points"].max()), KEYS
    less = ratios(longest, "keys", each, together, "kept")
    return there({name: _leads.lead(table, name, PLAIN) for name in table.index.drop(PLAIN, errors="ignore")} | {
        "parallel_is_quicker": Interval.of_median(ratios(rows["speeds"], "variant", PLAIN, "parallel", "step")),
        "one_key_keeps_less": Interval.exactly(less.iloc[0] if len(less) else None),
        "one_key_is_quicker": Interval.of_median(ratios(longest, "keys", each, together, "seconds")),
    })  # fmt: skip


def draw(rows: Rows, found: Estimates, config: Config) -> dict[str, Figure]:
    """The difference of each variant from the plain block, and of each training with the same seed."""
    table = _leads.by_seed(rows["rows"], "variant")
    names = [name for name in config.variants if name in table.index and name != PLAIN][::-1]
    figure, axis = plt.subplots(figsize=(7, 0.9 + 0.28 * len(names)))
    ours = style.colour("ours")
    for place, name in enumerate(names):
        ahead = table.loc[name] - table.loc[PLAIN]
        axis.plot(ahead, [place] * len(ahead), ".", color=ours, alpha=0.5)
        dots(axis, [(place, found.get(name))], color=ours, marker="o", capsize=2)
    axis.axvline(0, color=style.ink(), linewidth=1, linestyle=":")
    axis.set_yticks(range(len(names)), [TITLES.get(name, name) for name in names])
    axis.set_xlabel("log-likelihood minus that of the plain block, nats per point (right is better)")
    return {"ahead": figure}


def claims() -> list[Claim]:
    return [
        Claim("swiglu_pays", "In a small transformer, does SwiGLU score higher than GELU?",
              "SwiGLU", Above(0), "nats per point"),
        Claim("parallel_is_quicker", "Is a training step of the parallel block faster than a step of the serial block?",
              "parallel_is_quicker", Above(1), "×"),
        Claim("one_key_keeps_less",
              "Does one key and value for all heads shrink the cache in proportion to the number of heads?",
              "one_key_keeps_less", AtLeast(HEADS), "×"),
        Claim("one_key_is_quicker", "With the longest cached past, is attention faster with one key and value for all heads?",
              "one_key_is_quicker", Above(1), "×"),
    ]  # fmt: skip
