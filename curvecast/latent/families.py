"""Every code by name, small enough to try: what all of them must keep to is one test over this list."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from curvecast.latent.autoencoder import AutoencoderConfig
from curvecast.latent.contractive import Contractive
from curvecast.latent.predictive_sparse import SparseConfig
from curvecast.latent.principal import principal
from curvecast.latent.variational import VariationalConfig

FAMILIES: dict[str, Callable[[Tensor], Any]] = {  # from curves (n, T) to a network before its training
    "linear": lambda x: AutoencoderConfig(3, width=0, start="random").network(principal(x, 8)),
    "deep": lambda x: AutoencoderConfig(3, width=32).network(principal(x, 8)),
    "contractive": lambda x: Contractive(x.mean(0), 64, weight=1e-4, scale=float(x.std())),
    "sparse": lambda x: SparseConfig(24, width=32).network(x.mean(0)),
    "variational": lambda x: VariationalConfig(3, width=32).network(principal(x, 8)),
}
