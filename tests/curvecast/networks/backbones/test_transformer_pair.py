"""Guards curvecast/networks/backbones/transformer_pair.py: its block is torch's decoder layer."""

import torch
from torch import nn

from curvecast.networks.backbones.transformer_pair import DecoderBlock
from tests.curvecast.networks.backbones.torchs_weights import copied


def test_the_block_is_torchs_decoder_layer():
    torch.manual_seed(0)
    ours = DecoderBlock(8, 4)
    theirs = nn.TransformerDecoderLayer(8, 4, 16, 0.0, "gelu", batch_first=True, norm_first=True)
    copied(theirs.self_attn, ours.attend)
    copied(theirs.multihead_attn, ours.read)
    theirs.linear1.load_state_dict(ours.feed.wide.state_dict())
    theirs.linear2.load_state_dict(ours.feed.narrow.state_dict())
    y, h, places, x = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.rand(2, 5), torch.rand(2, 7)
    later = nn.Transformer.generate_square_subsequent_mask(5)
    wanted = theirs(y, h, tgt_mask=later)
    assert torch.allclose(ours(y, h, places, x, None), wanted, atol=1e-5)
