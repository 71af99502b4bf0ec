"""What a switch costs or saves in time and memory: a training step, and attention of one new point to a cached past."""

from functools import partial

import pandas as pd
import torch
from torch import Tensor
from torch.nn import functional as F

from curvecast.networks.backbones.attention import Attention
from curvecast.networks.backbones.reader import ReaderConfig
from curvecast.training.steps import Training
from reproduce._press.claim import Above, AtLeast, Claim
from reproduce._press.intervals import Interval
from reproduce._press.where import over, where
from reproduce.backbones import _trainings
from reproduce.backbones._block_variants import PLAIN
from reproduce.backbones._trainings import Setting
from reproduce.protocols.timing import core_seconds, in_turns, threads

HEADS, WIDTH, BATCH = 8, 128, 16  # of the attention to a cached past


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


def claims(rows: dict[str, pd.DataFrame]) -> list[Claim]:
    longest = where(rows["looks"], points=rows["looks"]["points"].max())
    sides = "keys", "each head", "all heads together"
    less = over(longest, *sides, "kept")
    return [
        Claim("parallel_is_quicker", "Is a training step of the parallel block faster than a step of the serial block?",
              Interval.of_median(over(rows["speeds"], "variant", PLAIN, "parallel", "step")), Above(1), "×"),
        Claim("one_key_keeps_less",
              "Does one key and value for all heads shrink the cache in proportion to the number of heads?",
              Interval.exactly(less[0] if less else None), AtLeast(HEADS), "×"),
        Claim("one_key_is_quicker", "With the longest cached past, is attention faster with one key and value for all heads?",
              Interval.of_median(over(longest, *sides, "seconds")), Above(1), "×"),
    ]  # fmt: skip
