"""Forecasts of a scaling curve without a network. Each answers with quantiles and log densities of the values asked for.

Shapes: T = points given, Q = points asked for, L = levels. All in x = ln step and z = ln value.
"""

import math
import warnings
from typing import NamedTuple

import numpy as np
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct, WhiteKernel

from reproduce.rival import time_series

Array = np.ndarray

FREEDOM = 4  # of the Student band; its parts, fixed before any curve was seen:
SPREAD, DRIFT = 1.5, 0.03  # residuals, and what grows with the distance
MOST = 300  # points that a Gaussian process takes: a matrix of them is inverted


class Told(NamedTuple):
    median: Array  # (Q,) of values
    log_density: Array  # (Q,) of the true values
    level: Array  # (Q,) mass below the true values


def last_value(x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """Without a density."""
    nothing = np.full(len(x_asked), np.nan)
    return Told(np.full(len(x_asked), math.exp(z[-1])), nothing, nothing)


def power_law(x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """y = c + a s^-b through the second half of the points: least squares of ln(y - c), for forty values of c."""
    half = len(x) // 2 if len(x) >= 6 else 0
    x_fit, y_fit = x[half:], np.exp(z[half:])
    floors = [0.0, *y_fit.min() * (1 - np.geomspace(1e-3, 1, 40)[:-1])]

    def error(fit: tuple[float, float, float]) -> float:
        c, slope, start = fit
        fitted = c + np.exp(start + slope * x_fit)
        return float(np.square(np.log(y_fit) - np.log(np.maximum(fitted, 1e-12))).sum())

    c, slope, start = min(((c, *np.polyfit(x_fit, np.log(y_fit - c), 1)) for c in floors), key=error)
    fitted, median = (c + np.exp(start + slope * some) for some in (x_fit, x_asked))
    residual = math.sqrt(np.square(y_fit - fitted).mean())
    drift = DRIFT * abs(math.exp(z[0]) - math.exp(z[-1])) * (x_asked - x[-1])
    scale = np.sqrt((SPREAD * residual) ** 2 + drift**2) + 1e-6
    law = stats.t(FREEDOM, median, scale)
    return Told(median, law.logpdf(np.exp(z_asked)), law.cdf(np.exp(z_asked)))


def gaussian_process(x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """Of ln value over ln step: a line and a smooth deviation, their sizes by maximum likelihood."""
    some = np.unique(np.linspace(0, len(x) - 1, min(MOST, len(x))).round().astype(int))
    x, z = x[some], z[some]
    middle, width, mean, size = x.mean(), max(x.std(), 1e-6), z.mean(), max(z.std(), 1e-6)
    kernel = ConstantKernel(1.0) * DotProduct(1.0) + ConstantKernel(0.3) * RBF(1.0)
    process = GaussianProcessRegressor(kernel + WhiteKernel(1e-2, (1e-8, 1)), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of a size that is best at its bound
        process.fit(((x - middle) / width)[:, None], (z - mean) / size)
    told, sd = process.predict(((x_asked - middle) / width)[:, None], return_std=True)
    law = stats.norm(mean + size * told, size * np.maximum(sd, 1e-6))
    return Told(np.exp(mean + size * told), law.logpdf(z_asked) - z_asked, law.cdf(z_asked))


def fracast(x: Array, z: Array, x_asked: Array, z_asked: Array) -> Told:
    """By its number, since it takes no steps; only its median is asked."""
    nothing = np.full(len(x_asked), np.nan)
    told = time_series.quantiles(np.exp(z), len(x_asked))
    return Told(nothing if told is None else told[4].clip(1e-3), nothing, nothing)


RULES = {"last": last_value, "law": power_law, "process": gaussian_process, "fracast": fracast}
