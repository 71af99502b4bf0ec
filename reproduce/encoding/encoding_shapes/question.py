"""What do positional encodings look like, and which properties can be proved?"""

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import torch
from torch import Tensor, nn

from curvecast.networks.added import Euclidean, Learned, RawEpoch, Scrambled, SinCos, frequencies
from curvecast.networks.encodings import ENCODINGS, EncodingConfig, make
from curvecast.networks.model import PFN, ModelConfig
from curvecast.training.steps import Training
from curvecast.training.train import TrainConfig, fit
from reproduce._press.where import Rows
from reproduce.encoding._encoded_network import encoded
from reproduce.encoding.encoding_shapes import claims as claimed
from reproduce.encoding.encoding_shapes import figures_and_tables
from reproduce.encoding.encoding_shapes.properties import properties
from reproduce.trainings import TINY

BASES = (2.0, 4.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0)
WIDTHS = (2, 4, 8, 32, 128)
SCALES_OF_DISTANCE = (0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Config:
    train: TrainConfig = TrainConfig(ModelConfig(64, 2, 2), curves=12_800)  # with a learned table
    width: int = 32  # of the matrices that are shown
    heads: int = 4
    epochs: int = 100
    table: EncodingConfig = field(default_factory=lambda: EncodingConfig("learned"))
    seed: int = 0
    seeds: int = 3  # of the network with a learned table


SCALES = {
    "smoke": Config(replace(TINY["1x16"], curves=256)),
    "laptop": Config(seeds=1),
    "paper": Config(),
}


def parts(config: Config) -> list[str]:
    return ["shapes", "layernorm", "learned"]


def measure(config: Config, part: str) -> Rows:
    torch.manual_seed(config.seed)
    if part == "layernorm":
        return {"layernorm": _layernorm(config)}
    if part == "learned":
        return {"learned": _learned(config)}
    tables = {"matrix": _matrices(config), "distance": _distances(config), "deal": _deals(config)}
    tables |= {"example": _example(), "sweep": _sweep(config), "frequency": _frequencies(config)}
    found = [{"encoding": name} | properties(EncodingConfig(name)) for name in ENCODINGS]
    return tables | {"properties": pd.DataFrame(found)}


@torch.no_grad()
def _matrices(config: Config) -> pd.DataFrame:
    """What is added to a token at each epoch: a row for each epoch, a column for each column of the encoding."""
    x, frames = torch.arange(1.0, config.epochs + 1), []
    shown = {name: EncodingConfig(name) for name in ENCODINGS} | {
        "sincos-4": EncodingConfig("sincos", base=4)
    }
    for name, one in shown.items():
        encoding = make(one, config.width, config.heads)
        if hasattr(encoding, "embed"):
            code = encoding.embed(x[None])[0]  # (epochs, d)
            frames.append(_wide(code, encoding=name))
    return pd.concat(frames)


def _wide(code: Tensor, **more: object) -> pd.DataFrame:
    frame = pd.DataFrame(code.numpy().round(3)).add_prefix("c")
    frame.insert(0, "x", range(1, len(code) + 1))
    for name, value in more.items():
        frame.insert(0, name, value)
    return frame


@torch.no_grad()
def _distances(config: Config) -> pd.DataFrame:
    """How a distance changes a score of the first head: the bias, or <q, k> after rotation for q = k = (1, …, 1)."""
    reach, frames = config.epochs - 1, []
    apart = torch.arange(-reach, reach + 1.0)  # of the token that is read, seen from the reader
    reader = torch.full((1, 1), float(config.epochs))
    for name in ("rope", "alibi", "t5", "shaw"):
        encoding = make(EncodingConfig(name), config.width, config.heads)
        for parameter in encoding.parameters():
            nn.init.normal_(parameter)  # learned numbers start at zero, which shows nothing
        if name == "rope":
            ones = torch.ones(1, 1, 1, config.width // config.heads)
            every = ones.expand(-1, -1, len(apart), -1)  # (1, 1, 2 reach + 1, d/H)
            read = encoding.rotate(every, reader + apart)
            value = (encoding.rotate(ones, reader) * read).mean(-1)[0, 0]
        else:
            value = encoding.bias(reader, reader + apart)[0, 0, 0]
        frames.append(
            pd.DataFrame({"encoding": name, "apart": apart.int().numpy(), "value": value.numpy().round(4)})
        )
    return pd.concat(frames)


@torch.no_grad()
def _deals(config: Config) -> pd.DataFrame:
    """Which row of the table each epoch gets in one pass."""
    x, frames = torch.arange(1.0, config.epochs + 1)[None], []
    kinds: dict[str, Learned] = {
        "learned": Learned(8, config.epochs),
        "scrambled-described": Scrambled(8, config.epochs, together=2),
        "scrambled-coded": Scrambled(8, config.epochs, together=1),
    }
    for name, encoding in kinds.items():
        row = torch.cdist(encoding.embed(x)[0], encoding.table).argmin(1) + 1  # (epochs,)
        frames.append(pd.DataFrame({"encoding": name, "x": range(1, config.epochs + 1), "row": row.numpy()}))
    return pd.concat(frames)


def _example() -> pd.DataFrame:
    """Four epochs in four columns, with base 4 and with base 10,000."""
    x = torch.arange(1.0, 5)[None]
    found = [_wide(SinCos(4, base).embed(x)[0], base=base) for base in (4.0, 10_000.0)]
    return pd.concat(found)


def _sweep(config: Config) -> pd.DataFrame:
    """Distance between the two nearest epochs, by base and width."""
    x = torch.arange(1.0, config.epochs + 1)[None]
    return pd.DataFrame([
        {"base": base, "width": width, "nearest": torch.pdist(SinCos(width, base).embed(x)[0].double()).min().item()}
        for base in BASES
        for width in WIDTHS
    ])  # fmt: skip


def _frequencies(config: Config) -> pd.DataFrame:
    """Epochs until each pair of columns repeats."""
    frames = []
    for base in (4.0, 100.0, 10_000.0):
        period = 2 * torch.pi / frequencies(config.width, base)
        frames.append(
            pd.DataFrame({"base": base, "pair": range(config.width // 2), "period": period.numpy()})
        )
    return pd.concat(frames)


class _Louder(nn.Module):
    """An encoding times a number."""

    def __init__(self, encoding: Any, factor: float):
        super().__init__()
        self.encoding, self.factor = encoding, factor

    def embed(self, x: Tensor) -> Tensor:
        return self.factor * self.encoding.embed(x)


@torch.no_grad()
def _layernorm(config: Config) -> pd.DataFrame:
    """How far does adding an encoding move the hidden states of queries, with LayerNorm before each layer and after it?"""
    found = []
    x, queries = torch.arange(1.0, 21).expand(16, -1), torch.tensor([[30.0, 60, 90]]).expand(16, -1)
    y = torch.rand(16, 20)
    for norm in ("pre", "post"):
        torch.manual_seed(config.seed)
        net = PFN(ModelConfig(config.width, 2, config.heads, norm=norm), torch.linspace(0, 1, 101)).eval()
        for parameter in net.parameters():
            if parameter.ndim > 1:
                # about the size of trained weights; no weight is zero
                nn.init.normal_(parameter, std=config.width**-0.5)
        before = net.read(x, y, queries)[0]
        for name, encoding in {"euclidean": Euclidean(config.width), "raw": RawEpoch(config.width)}.items():
            for factor in SCALES_OF_DISTANCE:
                louder: Any = _Louder(encoding, factor)  # it embeds: enough for a network, not for its type
                net.encoding = louder
                moved = (net.read(x, y, queries)[0] - before).abs().max().item()
                found.append({"norm": norm, "encoding": name, "factor": factor, "moved": moved})
        net.encoding = None
    return pd.DataFrame(found)


def _learned(config: Config) -> pd.DataFrame:
    """The learned table, before and after training, in a network that knows the epoch from this table alone."""
    frames = []
    for seed in range(config.seeds):
        how = encoded(replace(config.train, seed=seed), config.table, fed=False)
        training = Training(how, how.network())
        frames.append(_wide(training.net.encoding.table.detach().clone(), when="before", seed=seed))
        fit(training)
        frames.append(_wide(training.net.encoding.table.detach(), when="after", seed=seed))
    return pd.concat(frames)


draw, tabulate, claims = figures_and_tables.figures, figures_and_tables.tables, claimed.claims
