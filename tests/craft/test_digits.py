"""Guards reproduce/craft/_digits.py: a split by seed, and images that move."""

import torch

from reproduce.craft._digits import digits, five_times, shifted


def test_no_image_both_trains_and_tests():
    split = digits(seed=0)
    assert len(split.train.y) == 1_000 and len(split.test.y) == 797
    sums = [torch.cat([part.x for part in digits(seed)]).sum().item() for seed in (0, 1)]
    assert sums[0] == sums[1]  # the same images, split anew
    assert len(digits(seed=0, train=100).train.y) == 100


def test_another_seed_trains_on_other_images():
    assert not torch.equal(digits(seed=0).train.x, digits(seed=1).train.x)
    assert torch.equal(digits(seed=1).train.x, digits(seed=1).train.x)


def test_an_image_moves_by_a_pixel_and_zeros_enter():
    x = torch.arange(1.0, 65)[None]
    down = shifted(x, 1, 0).reshape(8, 8)
    assert (down[0] == 0).all() and torch.equal(down[1:], x.reshape(8, 8)[:-1])
    left = shifted(x, 0, -1).reshape(8, 8)
    assert (left[:, -1] == 0).all() and torch.equal(left[:, :-1], x.reshape(8, 8)[:, 1:])
    assert x[0, 0] == 1  # the image itself stays


def test_shifts_make_five_times_as_many_of_the_same_labels():
    train = digits(seed=0, train=7).train
    more = five_times(train)
    assert more.x.shape == (35, 64) and torch.equal(more.x[:7], train.x)
    assert torch.equal(more.y[7:14], train.y)
