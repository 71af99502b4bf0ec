"""Guards curvecast/training/gaps.py: contexts lose epochs and nothing else."""

import pytest
import torch

from curvecast.networks.model import ModelConfig
from curvecast.training import gaps, train
from curvecast.training.batches import TrainConfig, batches

TINY = gaps.with_holes(TrainConfig(ModelConfig(16, 1, 2, components=4)))


@pytest.mark.parametrize("T", [1, 2, 3, 10, 99])
def test_what_is_kept_are_rising_epochs_of_the_context_and_at_least_one(T):
    generator = torch.Generator().manual_seed(T)
    for _ in range(200):
        logged = gaps.logged_epochs(T, generator)
        assert len(logged) >= 1 and logged[0] >= 0 and logged[-1] < T
        assert (logged.diff() > 0).all()


def test_two_in_five_contexts_stay_whole_and_some_are_short():
    """The share of complete contexts, and the size of the smallest."""
    generator = torch.Generator().manual_seed(0)
    counts = torch.tensor([len(gaps.logged_epochs(50, generator)) for _ in range(2000)])
    assert abs((counts == 50).float().mean() - (1 - gaps.SHARE)) < 0.1
    assert (counts <= 5).float().mean() > 0.05


def test_every_kth_epoch_is_among_them():
    generator = torch.Generator().manual_seed(0)
    steps = {tuple(gaps.logged_epochs(30, generator).add(1).tolist()) for _ in range(300)}
    assert all(tuple(range(k, 31, k)) in steps for k in (2, 5, 10))


def test_a_batch_thins_the_context_and_leaves_queries_alone():
    """The network is given fewer epochs, each with its own value, and the same queries."""
    whole, seen = list(batches(TINY, 3, "cpu")), list(TINY.batches(3, "cpu"))
    for before, after in zip(whole, seen, strict=True):
        assert torch.equal(before.x_query, after.x_query) and torch.equal(before.y_query, after.y_query)
        columns = after.x[0].long() - 1
        assert torch.equal(before.y[:, columns], after.y)
    assert any(after.x.shape[1] < before.x.shape[1] for before, after in zip(whole, seen, strict=True))


def test_its_weights_have_a_name_of_their_own():
    """The name of the weights of release 0.1 is unchanged, and differs from that of the usual training."""
    of_0_1 = TrainConfig(ModelConfig(128, 3, 4), curves=786_432)
    assert train.name(gaps.with_holes(of_0_1)) == "gaps-2b153b27e880"
    assert train.name(of_0_1).startswith("ours-3x128-786k-")
