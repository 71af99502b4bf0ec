"""What `import curvecast` offers, for editors and type checkers: __init__.py fetches it by name."""

from collections.abc import Sequence
from typing import Any, overload

from curvecast.curves.prior import PriorConfig as PriorConfig
from curvecast.curves.prior import sample as sample
from curvecast.forecasting.finished_runs import FinishedRuns
from curvecast.forecasting.forecast import Forecast as Forecast
from curvecast.forecasting.forecasts import Forecasts as Forecasts
from curvecast.networks.bars import Bars as Bars
from curvecast.training.train import TrainConfig as TrainConfig
from curvecast.training.train import load as load
from curvecast.training.train import trained as trained
from curvecast.while_training.stopper import Stopper as Stopper

__version__: str

# fmt: off
@overload
def forecast(
    values: Sequence[float | None], steps: Any = None, horizon: float | None = None, metric: str | tuple[float, float] = ...,
    *, bounds: tuple[float, float] | None = None, minimise: bool | None = None, names: Sequence[str] | None = None,
    check: bool = True, weights: str | None = None, finished: Sequence[Any] | FinishedRuns | None = None,
    finished_steps: Any = None, scale: str = "linear", schedule: Any = None,
) -> Forecast: ...
@overload
def forecast(values: Sequence[Sequence[float | None]], *how: Any, **more: Any) -> Forecasts: ...
@overload
def forecast(values: Any, *how: Any, **more: Any) -> Any: ...  # an array or a table is one run or many
