"""DeepHyper's learning-curve model as a forecaster, in its own environment (.bench), as its stopper sets it up.

A request a line comes in, an answer a line goes out, both JSON. Two ways to read its posterior:
    curve    of the curve alone: what the package predicts with
    points   with noise added, as large as its own samples say: what a band over points needs
In 0.13.2 the residual of its least squares is -y whatever the parameters are; `mend` puts another one in its place.
Nothing of the package is copied: it is imported from the files that PyPI serves.
Shapes: T = epochs seen, A = epochs ahead, S = samples of the posterior, L = levels.
"""

import importlib
import os
import time
from typing import Any

from reproduce.rival.requests import serve

FILE = "deephyper.stopper.lce._bayesian_regression"


class Forecasting:
    """Each method answers one kind of request."""

    def hello(self, threads: int) -> dict[str, Any]:
        os.environ["JAX_PLATFORMS"] = "cpu"
        if threads == 1:
            os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
        self.file: Any = importlib.import_module(FILE)
        named = ("deephyper", "jax", "numpyro")
        return {name: importlib.import_module(name).__version__ for name in named} | {"threads": threads}

    def mend(self) -> dict[str, bool]:
        """Least squares over the epochs that were seen: the package pads both arrays with zeros, and epochs begin at 1."""
        jax: Any = importlib.import_module("jax")

        def residual(rho: Any, f: Any, z: Any, y: Any) -> Any:
            seen = z > 0
            return jax.numpy.where(seen, f(jax.numpy.where(seen, z, 1.0), rho) - y, 0.0)

        # its Jacobian asks for it by name
        self.file.residual_least_square = jax.jit(residual, static_argnums=1)
        return {"mended": True}

    def forecast(self, y: list[float], ahead: int, levels: list[float], seed: int) -> dict[str, Any]:
        """Quantiles of the epochs after these, seconds of the processor, and how far the least squares came."""
        import numpy as np

        start = time.process_time()
        z = np.arange(1.0, len(y) + ahead + 1)
        model = self.fresh(seed)
        try:
            model.fit(z[: len(y)], np.array(y))
        except ValueError as error:  # none of its least squares came to an end
            return {"refused": str(error)}
        curve = np.asarray(model.predict_posterior_samples(z[len(y) :]), dtype=float)  # (S, A)
        seconds = time.process_time() - start
        sigma = np.asarray(model.mcmc_.get_samples()["sigma"])[:, None]  # (S, 1)
        points = curve + sigma * np.random.default_rng(seed).standard_normal(curve.shape)
        began = np.random.RandomState(seed).standard_normal(len(model.rho_mu_prior_))  # its own first draws
        return {
            "curve": np.quantile(curve, levels, axis=0).tolist(),  # (L, A)
            "points": np.quantile(points, levels, axis=0).tolist(),
            "seconds": seconds, "moved": float(np.abs(model.rho_mu_prior_ - began).max()),
        }  # fmt: skip

    def again(self, y: list[float], other: list[float], first: int, seed: int) -> dict[str, float]:
        """How far draws from y and from other values are apart: of a model fitted to the first few before, and of a new one.

        The stopper fits one model again and again. Both curves must agree in the first few.
        """
        import numpy as np

        def draws(values: list[float], before: bool) -> Any:
            model, z = self.fresh(seed), np.arange(1.0, len(values) + 1)
            for count in [first] * before + [len(values)]:
                model.fit(z[:count], np.array(values[:count]))
            return np.asarray(model.mcmc_.get_samples()["rho"])  # (S, 4)

        def apart(before: bool) -> float:
            return float(np.abs(draws(y, before) - draws(other, before)).max())

        return {"again": apart(True), "new": apart(False)}

    def fresh(self, seed: int) -> Any:
        """The model that its stopper makes when it needs the first one: MMF4, room for a hundred epochs."""
        stopper: Any = importlib.import_module("deephyper.stopper").LCModelStopper(100, random_state=seed)
        stopper._refresh_lc_model()
        return stopper.lc_model


if __name__ == "__main__":
    serve(Forecasting)
