"""The cells of the experiment with encodings: what each is called in parts of the answer, in figures and in tables."""

from typing import NamedTuple

from curvecast.networks.encodings import EncodingConfig


class Shown(NamedTuple):
    title: str
    encoding: EncodingConfig


CELLS = {
    "none": Shown("none", EncodingConfig("none")),
    "log": Shown("log-epoch features", EncodingConfig("log")),
    "sincos": Shown("sin–cos", EncodingConfig("sincos")),
    "sincos-100": Shown("sin–cos, base 100", EncodingConfig("sincos", base=100)),
    "sincos-4": Shown("sin–cos, base 4", EncodingConfig("sincos", base=4)),
    "learned": Shown("learned", EncodingConfig("learned")),
    "scrambled-coded": Shown("scrambled, as coded", EncodingConfig("scrambled-coded")),
    "scrambled-described": Shown("scrambled, as described", EncodingConfig("scrambled-described")),
    "euclidean": Shown("Euclidean", EncodingConfig("euclidean")),
    "rope": Shown("RoPE", EncodingConfig("rope")),
    "alibi": Shown("ALiBi", EncodingConfig("alibi")),
    "t5": Shown("T5 bias", EncodingConfig("t5")),
    "shaw": Shown("simplified Shaw", EncodingConfig("shaw")),
}


class Cell(NamedTuple):
    network: str  # "pfn"
    name: str  # of CELLS
    fed: bool  # is the epoch a number in the token?
    seed: int

    @property
    def part(self) -> str:
        return f"{self.network}.{self.name}.{'fed' if self.fed else 'unfed'}.{self.seed}"

    @staticmethod
    def of(part: str) -> "Cell":
        network, name, fed, seed = part.split(".")
        return Cell(network, name, fed == "fed", int(seed))
