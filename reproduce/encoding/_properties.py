"""Properties of a positional encoding without any training: each cell of the table is the result of a test.

Networks are tiny, with random weights none of which is zero, in double precision; the epoch is not an input. How much an
encoding moves through LayerNorm is measured in a PFN.
Shapes: T = epochs, m = numbers that stand for an epoch.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from curvecast.ground.errors import UserError
from curvecast.networks.encodings import EncodingConfig, Euclidean, Learned, RawEpoch, make
from curvecast.networks.model import PFN, ModelConfig
from reproduce.encoding._encoded_network import Encoded

WIDTH, HEADS = 16, 2
NORMS = {"pre": "LayerNorm before each layer", "post": "LayerNorm after each layer"}
FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0)  # of an encoding
ACTS = {"embed": "tokens", "rotate": "queries and keys", "bias": "scores"}


def properties(config: EncodingConfig) -> dict[str, str]:
    """One row of the table."""
    with torch.no_grad(), _double():
        net = _network(config)
        encoding = net.encoding
        known = encoding is not None
        return {
            "acts on": next((what for name, what in ACTS.items() if hasattr(encoding, name)), "nothing"),
            "bounded": _word(bounded(encoding)) if known else "–",
            "injective": _word(injective(encoding)) if known else "–",
            "same in each pass": _word(steady(net)),
            "relative": _word(relative(net)),
            "beyond 100": _word(beyond(encoding)) if known else "–",
            "through LayerNorm": _word(visible(net)) if known else "–",
            "parameters": f"{parameters(config):,}",
        }


def codes(encoding: Any, x: Tensor) -> Tensor:
    """The numbers that stand for each epoch (T,), or for its distance to epoch 1.  -> (T, m)"""
    torch.manual_seed(0)  # for scrambled tables
    if hasattr(encoding, "embed"):
        return encoding.embed(x[None])[0]
    if hasattr(encoding, "rotate"):
        return encoding.rotate(torch.ones(1, 1, len(x), WIDTH // HEADS), x[None])[0, 0]
    return encoding.bias(torch.ones(1, 1), x[None])[0, :, 0].T


def bounded(encoding: Any) -> bool:
    """Do its numbers stop growing? (A table has an end.)"""
    if isinstance(encoding, Learned):
        return True
    near, far = (codes(encoding, torch.arange(1.0, last)).abs().max() for last in (1000, 10_000))
    return bool(far <= 1.001 * near)


def injective(encoding: Any) -> bool:
    """Do no two of 100 epochs (or distances) have the same numbers?"""
    return bool(torch.pdist(codes(encoding, torch.arange(1.0, 101))).min() > 1e-6)


def beyond(encoding: Any) -> bool:
    """Is it defined at epoch 101?"""
    try:
        return bool(torch.isfinite(codes(encoding, torch.tensor([101.0]))).all())
    except UserError:
        return False


def steady(net: Encoded) -> bool:
    """Do two passes give the same result?"""
    return torch.equal(_found(net, seed=0), _found(net, seed=1))


def relative(net: Encoded) -> bool:
    """Does a common shift of all epochs leave the forecast as it is?"""
    return torch.allclose(_found(net), _found(net, shift=30.0), atol=1e-8)


def visible(net: Encoded) -> bool:
    """Does a network with the norm before its layers notice that the encoding is there?"""
    with_it, encoding = _found(net), net.encoding
    net.encoding = None
    without = _found(net)
    net.encoding = encoding
    return not torch.allclose(with_it, without, atol=1e-8)


def parameters(config: EncodingConfig) -> int:
    encoding = make(config, 64, HEADS)
    return 0 if encoding is None else sum(p.numel() for p in encoding.parameters())


def _network(config: EncodingConfig) -> Encoded:
    torch.manual_seed(0)
    model = ModelConfig(WIDTH, 2, HEADS, components=4)
    net = Encoded(model, torch.linspace(0, 1, 21), config, fed=False).eval()
    for parameter in net.parameters():
        if parameter.ndim > 1:
            nn.init.normal_(parameter, std=0.3)
    return net


def _found(net: Encoded, shift: float = 0.0, seed: int = 0) -> Tensor:
    """Hidden states of two queries, for three curves of eight points."""
    y = torch.rand(3, 8, generator=torch.Generator().manual_seed(0))
    x, queries = torch.arange(1.0, 9).expand(3, -1), torch.tensor([[12.0, 20.0]]).expand(3, -1)
    torch.manual_seed(seed)
    return net.read(x + shift, y, queries + shift)[0]


@contextmanager
def _double() -> Iterator[None]:
    """So that equal numbers are equal in double precision."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


def _word(holds: bool) -> str:
    return "yes" if holds else "no"


# ------------------------------------------------------------------------------------------------ through LayerNorm


class Louder(nn.Module):
    """An encoding times a number."""

    def __init__(self, encoding: Any, factor: float):
        super().__init__()
        self.encoding, self.factor = encoding, factor

    def embed(self, x: Tensor) -> Tensor:
        return self.factor * self.encoding.embed(x)


@torch.no_grad()
def moved_by_an_encoding(width: int, heads: int, seed: int) -> Iterator[dict[str, object]]:
    """How far does adding an encoding move the hidden states of queries, with LayerNorm before each layer and after it?"""
    x, queries = torch.arange(1.0, 21).expand(16, -1), torch.tensor([[30.0, 60, 90]]).expand(16, -1)
    y = torch.rand(16, 20)
    for norm in NORMS:
        torch.manual_seed(seed)
        net = PFN(ModelConfig(width, 2, heads, norm=norm), torch.linspace(0, 1, 101)).eval()
        for parameter in net.parameters():
            if parameter.ndim > 1:
                nn.init.normal_(parameter, std=width**-0.5)  # about the size of trained weights; none is zero
        before = net.read(x, y, queries)[0]
        for name, encoding in {"euclidean": Euclidean(width), "raw": RawEpoch(width)}.items():
            for factor in FACTORS:
                louder: Any = Louder(encoding, factor)  # it embeds: enough for a network, not for its type
                net.encoding = louder
                moved = (net.read(x, y, queries)[0] - before).abs().max().item()
                yield {"norm": norm, "encoding": name, "factor": factor, "moved": moved}
