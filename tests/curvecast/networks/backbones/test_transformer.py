"""Guards curvecast/networks/backbones/transformer.py: what cannot be."""

from dataclasses import replace

import pytest

from curvecast.ground.errors import UserError
from curvecast.networks.backbones.transformer import TransformerConfig

D = 8


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"norm": "batch"}, "take layer or rms"),
        ({"where": "post", "parallel": True}, "take where='pre'"),
        ({"hands": "last"}, "no summary"),
        ({"heads": 3}, "must be a multiple|take a multiple"),
        ({"position": "rope", "heads": 8}, "must be even"),
    ],
)
def test_what_cannot_be_is_told(wrong, words):
    with pytest.raises(UserError, match=words):
        replace(TransformerConfig(), **wrong).make(D)
