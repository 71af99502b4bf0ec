"""What positional encodings look like: the numbers that stand for an epoch or for a distance, in no network."""

import pandas as pd
import torch
from torch import Tensor, nn

from curvecast.networks.added import Learned, Scrambled, SinCos, frequencies
from curvecast.networks.encodings import ENCODINGS, EncodingConfig, make
from reproduce._press.where import Rows

BASES = (2.0, 4.0, 10.0, 100.0, 1000.0, 10_000.0, 100_000.0)
WIDTHS = (2, 4, 8, 32, 128)
BY_DISTANCE = ("rope", "alibi", "t5", "shaw")


@torch.no_grad()
def shapes(epochs: int, width: int, heads: int) -> Rows:
    """The random numbers of one table follow those of the table before it."""
    return {
        "matrix": matrices(epochs, width, heads),
        "distance": distances(epochs, width, heads),
        "deal": deals(epochs),
        "example": pd.concat(wide(SinCos(4, n).embed(steps(4))[0], base=n) for n in (4.0, 10_000.0)),
        "sweep": nearest(epochs),
        "frequency": periods(width),
    }


def steps(epochs: int) -> Tensor:
    return torch.arange(1.0, epochs + 1)[None]  # (1, epochs)


def wide(code: Tensor, **more: object) -> pd.DataFrame:
    """A row for each epoch, a column for each column of the encoding."""
    frame = pd.DataFrame(code.numpy().round(3)).add_prefix("c")
    frame.insert(0, "x", range(1, len(code) + 1))
    for name, value in more.items():
        frame.insert(0, name, value)
    return frame


def matrices(epochs: int, width: int, heads: int) -> pd.DataFrame:
    """What is added to a token at each epoch."""
    kinds = {name: EncodingConfig(name) for name in ENCODINGS}
    kinds["sincos-4"] = EncodingConfig("sincos", base=4)
    frames = []
    for name, config in kinds.items():
        encoding = make(config, width, heads)
        if hasattr(encoding, "embed"):
            frames.append(wide(encoding.embed(steps(epochs))[0], encoding=name))
    return pd.concat(frames)


def distances(epochs: int, width: int, heads: int) -> pd.DataFrame:
    """How a distance changes a score of the first head: the bias, or <q, k> after rotation for q = k = (1, …, 1)."""
    reach, frames = epochs - 1, []
    apart = torch.arange(-reach, reach + 1.0)  # of the token that is read, seen from the reader
    reader = torch.full((1, 1), float(epochs))
    for name in BY_DISTANCE:
        encoding = make(EncodingConfig(name), width, heads)
        for parameter in encoding.parameters():
            nn.init.normal_(parameter)  # learned numbers start at zero, which shows nothing
        if name == "rope":
            ones = torch.ones(1, 1, 1, width // heads)
            every = ones.expand(-1, -1, len(apart), -1)  # (1, 1, 2 reach + 1, d/H)
            read = encoding.rotate(every, reader + apart)
            value = (encoding.rotate(ones, reader) * read).mean(-1)[0, 0]
        else:
            value = encoding.bias(reader, reader + apart)[0, 0, 0]
        columns = {"encoding": name, "apart": apart.int().numpy(), "value": value.numpy().round(4)}
        frames.append(pd.DataFrame(columns))
    return pd.concat(frames)


def deals(epochs: int) -> pd.DataFrame:
    """Which row of the table each epoch gets in one pass."""
    frames = []
    kinds: dict[str, Learned] = {
        "learned": Learned(8, epochs),
        "scrambled-described": Scrambled(8, epochs, together=2),
        "scrambled-coded": Scrambled(8, epochs, together=1),
    }
    for name, encoding in kinds.items():
        row = torch.cdist(encoding.embed(steps(epochs))[0], encoding.table).argmin(1) + 1  # (epochs,)
        frames.append(pd.DataFrame({"encoding": name, "x": range(1, epochs + 1), "row": row.numpy()}))
    return pd.concat(frames)


def nearest(epochs: int) -> pd.DataFrame:
    """Distance between the two nearest epochs, by base and width."""
    rows = []
    for base in BASES:
        for width in WIDTHS:
            codes = SinCos(width, base).embed(steps(epochs))[0].double()  # (epochs, d)
            rows.append({"base": base, "width": width, "nearest": torch.pdist(codes).min().item()})
    return pd.DataFrame(rows)


def periods(width: int) -> pd.DataFrame:
    """Epochs until each pair of columns repeats."""
    spans = {base: 2 * torch.pi / frequencies(width, base) for base in (4.0, 100.0, 10_000.0)}
    pairs = {"pair": range(width // 2)}
    return pd.concat(pd.DataFrame({"base": n} | pairs | {"period": one.numpy()}) for n, one in spans.items())
