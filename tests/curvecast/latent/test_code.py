"""Guards curvecast/latent/code.py: the error of a curve."""

import pytest
import torch

from curvecast.latent.code import check, rms


def test_an_error_counts_each_epoch_alike():
    x = torch.zeros(2, 4)
    assert rms(x, torch.tensor([[1.0, 1, 1, 1], [2, 0, 0, 0]])).tolist() == [1, 1]


def test_what_fits_is_handed_on():
    x = torch.rand(3, 5)
    assert check(x, 5) is x
    with pytest.raises(ValueError, match="shape"):
        check(x[0], 5)
