"""The network as an ONNX file, for a web page or any other place without torch.

The file answers one question: context x, y (B, T) and queries x_query (B, Q) -> the mixture of each query, log_w, mean
and scale (B, Q, M). From it and the borders the caller makes the density of bars.py, as docs/assets/live/density.js does.
Weights are stored in half precision and widened when the file is loaded: all arithmetic is in float32.
"""

import copy
import dataclasses
import importlib
import json
import tempfile
import warnings
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor, nn

from curvecast.ground import whole_file
from curvecast.ground.config import canonical
from curvecast.ground.errors import FROM_THE_CLONE, UserError, demand, installed
from curvecast.networks.heads import MixtureHead
from curvecast.networks.model import PFN
from curvecast.training.train import Forecaster, name

OPSET = 17
AXES = {"x": "T", "y": "T", "x_query": "Q", "log_w": "Q", "mean": "Q", "scale": "Q"}  # the free one beside B


class Mixtures(nn.Module):
    """The network without its buckets: borders are the caller's."""

    def __init__(self, net: PFN):
        super().__init__()
        self.net = net

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        head = cast(MixtureHead, self.net.head)  # as checked before
        return head.mixture(*self.net.read(x, y, x_query))  # each (B, Q, M)


def rounded(forecaster: Forecaster) -> Forecaster:
    """A copy whose weights went through half precision, as in a file; the borders stay as they are."""
    net = copy.deepcopy(forecaster.model)
    with torch.no_grad():
        for weight in net.parameters():
            weight.copy_(weight.half())
    return dataclasses.replace(forecaster, model=net)


def to_onnx(forecaster: Forecaster, path: str | Path) -> None:
    """Write the file. The same weights give the same bytes."""
    with installed(f"writing an ONNX file {FROM_THE_CLONE}"):
        onnx: Any = importlib.import_module("onnx")
    net = forecaster.model
    if not isinstance(net.head, MixtureHead):
        raise UserError("only a network with a mixture head can be exported: this one outputs free logits")
    other = "a network with a positional encoding, or whose queries see themselves, cannot be exported"
    demand(net.encoding is None and not net.config.query_sees_itself, other)
    model = onnx.load_from_string(_traced(copy.deepcopy(net).cpu().eval()))
    _halve(model.graph, onnx)
    model.producer_name = "curvecast"
    about = {"name": name(forecaster.config), "config": canonical(forecaster.config)}
    onnx.helper.set_model_props(model, about)
    onnx.checker.check_model(model)
    whole_file.write(Path(path), model.SerializeToString(deterministic=True), make_folder=True)


def write_live(
    forecaster: Forecaster, folder: str | Path, in_prior: dict[str, Any], about: dict[str, Any]
) -> None:
    """All that the page needs: model.onnx, and meta.json with the borders, the table of `inPrior` and what is told."""
    borders = [float(str(b)) for b in forecaster.model.borders.cpu().numpy()]  # as many digits as float32 has
    meta = about | {"name": name(forecaster.config), "in_prior": in_prior, "borders": borders}
    to_onnx(forecaster, Path(folder) / "model.onnx")
    whole_file.write(Path(folder) / "meta.json", (json.dumps(meta, allow_nan=False) + "\n").encode())


def _traced(net: PFN) -> bytes:
    """What torch does for one small question, as a graph in which B, T and Q are free.

    The older of torch's two exporters: the newer one needs two more packages.
    """
    x, x_query = torch.arange(1.0, 6).repeat(2, 1), torch.arange(6.0, 13).repeat(2, 1)  # (B, T), (B, Q)
    y = torch.full_like(x, 0.5)
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "traced.onnx"
        warnings.simplefilter("ignore", DeprecationWarning)  # that it is the older one, we know
        torch.onnx.register_custom_op_symbolic("aten::asinh", lambda g, x: g.op("Asinh", x), OPSET)
        torch.onnx.export(
            Mixtures(net), (x, y, x_query), file, input_names=list(AXES)[:3], output_names=list(AXES)[3:],
            dynamic_axes={key: {0: "B", 1: axis} for key, axis in AXES.items()}, opset_version=OPSET, dynamo=False,
        )  # fmt: skip
        return file.read_bytes()


def _halve(graph: Any, onnx: Any) -> None:
    """Each weight becomes a half-precision one and a cast back to float32."""
    casts = []
    for weight in graph.initializer:
        if weight.data_type == onnx.TensorProto.FLOAT:
            full, half = weight.name, f"{weight.name}.half"
            array = onnx.numpy_helper.to_array(weight).astype("float16")
            weight.CopyFrom(onnx.numpy_helper.from_array(array, half))
            casts.append(onnx.helper.make_node("Cast", [half], [full], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)
