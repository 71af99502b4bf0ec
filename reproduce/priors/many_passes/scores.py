"""What passes are worth: on each curve, by kinds of curves, by the strength of the maps; and how long they take.

Shapes: B = curves, M = passes, Q = queries.
"""

from collections.abc import Callable, Iterator, Mapping

import pandas as pd
import torch
from torch import Tensor

from curvecast.training.train import Forecaster
from reproduce.priors.many_passes.asked import SEEN, Curves, portions
from reproduce.priors.many_passes.passes import Asked, Map, MapsConfig, hedged, passes, stream, together
from reproduce.protocols.timing import ROUNDS, core_seconds, in_turns

VALUES = ("gain", "single", "raised", "flat")
FLAT = 1 / 32  # share of a flat density, as if one of many passes knew nothing
EDGE = NARROW = 0.1  # the last observed value is nearer to 0 or 1; the observed values span less
KINDS = ("near 0 or 1", "in the middle", "narrow", "wide")


def scores(
    forecaster: Forecaster, curves: Curves, maps: Callable[[int], Map], counts: tuple[int, ...], points: int
) -> pd.DataFrame:
    """A line for each curve, share observed and number of passes."""
    frames = []
    for seen in SEEN:
        for which, asked in portions(curves, seen, points):
            found = passes(forecaster, asked, [maps(len(which)) for _ in range(counts[-1] - 1)])
            one = found.log_density[0]  # (B, Q)
            flat = hedged(one, asked.y_query, FLAT).mean(1) - one.mean(1)
            about = {
                "group": curves.group[which],
                "seen": seen,
                "edge": edge(asked.y),
                "narrow": narrow(asked.y),
            }
            for scored in _by_count(found.log_density, found.below, counts):
                frames.append(pd.DataFrame(about | scored | {"flat": flat}))
    return pd.concat(frames, ignore_index=True)


def _by_count(log_density: Tensor, below: Tensor, counts: tuple[int, ...]) -> Iterator[dict[str, object]]:
    """Both (M, B, Q). The value lies in the 90 % interval of an average if a mean mass of 5 to 95 % lies below it."""
    each = log_density.mean(2)  # (M, B)
    for count in counts:
        ll = together(log_density[:count]).mean(1)  # (B,)
        inside = (below[:count].mean(0) - 0.5).abs() <= 0.45  # (B, Q)
        gain, single = ll - each[0], each[:count].mean(0) - each[0]
        yield {
            "passes": count,
            "ll": ll,
            "gain": gain,
            "single": single,
            "raised": gain > 0,
            "in90": inside.float().mean(1),
        }


def edge(y: Tensor) -> Tensor:  # (B, T) -> (B,)
    return (y[:, -1] - 0.5).abs() > 0.5 - EDGE


def narrow(y: Tensor) -> Tensor:
    return y.amax(1) - y.amin(1) < NARROW


def by_kind(scored: pd.DataFrame) -> pd.DataFrame:
    flags = (scored["edge"], ~scored["edge"], scored["narrow"], ~scored["narrow"])
    gains = {kind: scored["gain"][flag] for kind, flag in zip(KINDS, flags, strict=True)}
    lines = [(kind, len(own), own.mean()) for kind, own in gains.items() if len(own)]
    return pd.DataFrame(lines, columns=["kind", "curves", "gain"])


def by_strength(
    forecaster: Forecaster, curves: Mapping[str, Curves], tried: list[MapsConfig], count: int, points: int
) -> pd.DataFrame:
    """The gain of so many passes, by the strength of the maps."""
    lines = []
    for how in tried:
        for row, some in curves.items():
            scored = scores(forecaster, some, stream(how, 0), (count,), points)
            lines.append((how.edge, how.power, row, scored["gain"].mean()))
    return pd.DataFrame(lines, columns=["edge", "power", "row", "gain"])


def times(forecaster: Forecaster, y: Tensor, how: MapsConfig, counts: tuple[int, ...]) -> pd.DataFrame:
    """On one core. A fifth of one curve (T,) is shown, the rest asked for; it enters one batch, once for each pass."""
    shown, x = len(y) // 5, torch.arange(1.0, len(y) + 1)

    def forecast(count: int) -> None:
        xs, ys = x.expand(count, -1), y.expand(count, -1)
        asked = Asked(xs[:, :shown], ys[:, :shown], xs[:, shown:], ys[:, shown:])
        found = passes(forecaster, asked.through(stream(how, 0)(count)), [])
        together(found.log_density[0])

    turns = {count: lambda count=count: core_seconds(lambda: forecast(count)) for count in counts}
    lines = [(number, count, 1000 * took) for number, count, took in in_turns(turns, ROUNDS)]
    return pd.DataFrame(lines, columns=["round", "passes", "ms"])
