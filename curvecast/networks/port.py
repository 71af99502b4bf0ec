"""LC-PFN from torch's own layers: the network of model.py again, for comparison.

Shapes: B = curves, T = context points, Q = queries, d = width, K = buckets.
It is slower than model.py, since the last layer also computes the observed points, but it gives the same logits.
"""

import torch
from torch import Tensor, nn

from curvecast.ground.errors import UserError
from curvecast.networks.inputs import SD
from curvecast.networks.layer import mask
from curvecast.networks.model import PFN, ModelConfig


class Port(nn.Module):
    def __init__(self, config: ModelConfig, buckets: int = 1000):
        super().__init__()
        d, pre = config.width, config.norm == "pre"  # the paper: norm after the layers, "post"
        self.itself = config.query_sees_itself  # in the paper's code, not in its text
        self.x, self.y = nn.Linear(1, d), nn.Linear(1, d)  # one number in, d numbers out
        layer = nn.TransformerEncoderLayer(  # attention, feed-forward; batch_first: the second axis is time
            d, config.heads, config.expand * d, config.dropout, "gelu", batch_first=True, norm_first=pre
        )
        norm = nn.LayerNorm(d) if pre else None  # pre-norm layers need a final norm
        self.encoder = nn.TransformerEncoder(layer, config.layers, norm, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, buckets))

    def forward(self, x: Tensor, y: Tensor, x_query: Tensor) -> Tensor:
        """Context x, y (B, T), queries (B, Q) -> logits (B, Q, K)."""
        T, epochs = y.shape[1], torch.cat([x, x_query], 1)  # (B, T + Q): points first, then queries
        tokens = self.x((epochs[..., None] / 101 - 0.5) / SD)  # (B, T + Q, d): the epoch is an input
        values = self.y((y[..., None] - 0.5) / SD)  # (B, T, d): only points have a value
        tokens = torch.cat([tokens[:, :T] + values, tokens[:, T:]], 1)  # (B, T + Q, d)
        sees = mask("pfn", epochs.shape[1], T, self.itself)  # (T + Q, T + Q): all attend to the points
        encoded = self.encoder(tokens, mask=~sees.to(y.device))  # torch's masks say what is hidden
        return self.head(encoded[:, T:])  # (B, Q, K): a logit for each bucket, for each query


def port(net: PFN) -> Port:
    """The same network in torch's layers, with a copy of its weights."""
    config = net.config
    if config.head != "bars" or config.features != "paper" or net.encoding is not None:
        raise UserError(
            "only the paper's network can be ported: ModelConfig.paper(...), with head 'bars', features 'paper' "
            "and no encoding"
        )
    stock = Port(config, len(net.borders) - 1).to(net.borders.device)
    weights = ((name, value) for name, value in net.state_dict().items() if name != "borders")
    stock.load_state_dict({torch_name(name): value for name, value in weights})
    return stock.train(net.training)


NAMES = (  # of weights, ours and torch's
    ("inputs.", ""), ("layers.", "encoder.layers."), ("qkv.weight", "self_attn.in_proj_weight"),
    ("qkv.bias", "self_attn.in_proj_bias"), (".out.", ".self_attn.out_proj."), (".wide.", ".linear1."),
    (".narrow.", ".linear2."),
)  # fmt: skip
OUTSIDE = (("norm.", "encoder.norm."), ("head.wide.", "head.0."), ("head.out.", "head.2."))


def torch_name(name: str) -> str:
    """The name of a weight of ours in torch's layers."""
    for old, new in OUTSIDE:
        if name.startswith(old):
            return name.replace(old, new)
    for old, new in NAMES:
        name = name.replace(old, new)
    return name
