"""What a switch costs or saves in time and memory: a training step, and one more look back at a long past."""

from functools import partial

import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.training.steps import Training
from reproduce._press.contract import Claim, claim
from reproduce._press.intervals import Interval
from reproduce._press.where import where
from reproduce.backbones import _trainings
from reproduce.backbones._block_variants import PLAIN
from reproduce.backbones._trainings import Setting
from reproduce.protocols.timing import core_seconds, in_turns, threads

HEADS, WIDTH, BATCH = 8, 128, 16  # of what looks back


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
    """One point more looks back at many, whose keys and values are kept: for each head, or for all heads together."""
    found = []
    with threads():
        for T in points:
            turns = {
                name: partial(_timed, T, G) for name, G in (("each head", HEADS), ("all heads together", 1))
            }
            found += [
                {"keys": name, "round": number, "points": T, "seconds": took, "kept": kept}
                for number, name, (took, kept) in in_turns(turns, rounds)
            ]
    return pd.DataFrame(found)


def _timed(T: int, G: int) -> tuple[float, int]:
    """Seconds, and how many numbers of one past are kept."""
    attend = Attention(WIDTH, HEADS, G)
    kept = attend.kv(torch.randn(BATCH, T, WIDTH))  # (B, T, 2 G d/H)
    return core_seconds(partial(look, attend, torch.randn(BATCH, 1, WIDTH), kept)), kept[0].numel()


def look(attend: Attention, one: Tensor, kept: Tensor) -> Tensor:
    """As attention's forward, for keys and values that are there already.  (B, 1, d), (B, T, 2 G d/H) -> (B, 1, d)"""
    q = attend.q(one).unflatten(-1, (attend.heads, -1)).transpose(1, 2)
    k, v = (part.unflatten(-1, (attend.kv_heads, -1)).transpose(1, 2) for part in kept.chunk(2, -1))
    mixed = F.scaled_dot_product_attention(q, k, v, enable_gqa=attend.kv_heads < attend.heads)
    return attend.out(mixed.transpose(1, 2).flatten(2))


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    steps = rows["speeds"].pivot_table(index="round", columns="variant", values="step")
    ratio = Interval.of_median(list(steps["parallel"] / steps[PLAIN])) if "parallel" in steps else None
    most = rows["looks"]["points"].max() if len(rows["looks"]) else 0
    longest = where(rows["looks"], points=most)
    took = longest.pivot_table(index="round", columns="keys", values="seconds")
    kept = longest.groupby("keys")["kept"].first()
    quicker = less = None
    if len(kept):
        quicker = Interval.of_median(list(took["each head"] / took["all heads together"]))
        less = Interval.exactly(float(kept["each head"] / kept["all heads together"]))
    return [
        claim("parallel_is_quicker",
              "A step of the parallel block takes less than one of the serial block: {value:.2f} of its time.", ratio, "< 1"),
        claim("one_key_keeps_less",
              "One key and value for 8 heads are 8 times less to keep: {value:.0f} times.", less,
              ">= 8"),
        claim("one_key_is_quicker",
              "One key and value for eight heads make a look back at the longest past quicker: {value:.1f} times.",
              quicker, "> 1"),
    ]  # fmt: skip
