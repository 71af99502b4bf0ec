"""Forecasts by a network with the seconds that each took: one curve a call, and all in one call.

Shapes: y (P, T), of which `cutoff` epochs are observed.
"""

import time

import pandas as pd
import torch
from torch import Tensor

from curvecast.networks.model import PFN


def forecasts(name: str, model: PFN, y: Tensor, cutoff: int) -> pd.DataFrame:
    """One curve a call, as emcee works, and all in one call, as the vectorised chains do; each is warmed up once."""
    x = torch.arange(1.0, y.shape[1] + 1).expand(len(y), -1)
    frames = []
    with torch.no_grad():
        for method, calls in ((name, y.split(1)), (f"{name}, all at once", y.split(len(y)))):
            ll, seconds = [], []
            for some in (calls[0], *calls):
                n, begin = len(some), time.perf_counter()
                found = model.log_density(x[:n, :cutoff], some[:, :cutoff], x[:n, cutoff:], some[:, cutoff:])
                ll += found.mean(1).tolist()
                seconds += [(time.perf_counter() - begin) / n] * n
            frames.append(frame(method, cutoff, ll[-len(y) :], seconds[-len(y) :]))
    return pd.concat(frames, ignore_index=True)


def frame(method: str, cutoff: int, ll: list[float], seconds: list[float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"method": method, "cutoff": cutoff, "curve": range(len(ll)), "ll": ll, "seconds": seconds}
    )
