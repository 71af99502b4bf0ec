"""Guards reproduce/craft/ladder/: the book's own counts, what a convolution and pooling keep, equal steps, and the vote."""

import pandas as pd
import pytest
import torch
from torch import nn

from reproduce.craft.ladder import question
from reproduce.craft.ladder.networks import convolution, convolutional, vote


def image(side=28):
    return torch.rand(1, 1, side, side, generator=torch.Generator().manual_seed(0))


def test_the_books_layer_has_the_books_shapes_and_counts():
    """5 x 5 on 28 x 28 gives 24 x 24, pooled to 12 x 12; 26 weights a map, 520 for 20. So does a stride of 2."""
    layer = convolution(1, 20, nn.Sigmoid, kernel=5, padding="valid")
    assert layer[0](image()).shape == (1, 20, 24, 24) and layer(image()).shape == (1, 20, 12, 12)
    assert sum(p.numel() for p in layer.parameters()) == 520 == 20 * 26
    assert nn.Conv2d(1, 20, 5, stride=2)(image()).shape == (1, 20, 12, 12)


def test_a_shifted_image_gives_shifted_maps():
    """Equivariance; away from the border, where zeros enter."""
    filtered, x = convolution(1, 3, nn.ReLU)[:2], image()
    assert torch.allclose(filtered(x.roll(2, 3))[..., 3:-1], filtered(x).roll(2, 3)[..., 3:-1], atol=1e-6)


POOL = convolution(1, 3, nn.ReLU)[2]  # as the rungs pool


@pytest.mark.parametrize(("pool", "left"), [(POOL, 4), (nn.LPPool2d(2, 2), 5)], ids=["max", "L2"])
def test_pooling_forgets_where_in_its_window_a_value_was(pool, left):
    """It keeps the largest, or the root of the squares; and it notices a move into the next window."""
    x = torch.tensor([[3.0, 4.0], [0.0, 0.0]])
    there, moved = (nn.functional.pad(window, (0, 2))[None] for window in (x, x.flip(0, 1)))
    assert pool(there)[0, 0].tolist() == pool(moved)[0, 0].tolist() == [pytest.approx(left), 0]
    assert pool(there.roll(2, 2))[0, 0].tolist() == [0, pytest.approx(left)]


def test_each_rung_takes_as_many_steps():
    rows = question.measure(question.SCALES["smoke"], "seed-1")["rows"]
    steps = rows.groupby(["rung", "member"])["step"].last()
    assert {rung: set(some) for rung, some in steps.groupby("rung")} == (
        {rung: {50} for rung in question.TRAINED} | {rung: {250} for rung in question.LONGER}
    )


def test_a_vote_is_the_digit_of_most():
    """Neither the largest digit, nor the smallest, nor that of the surest member, the third: 9 - x, ten times as sure."""
    says = [nn.Identity(), nn.Identity(), lambda x: 10 * x.flip(1)]
    assert vote(says, torch.eye(10)[[4, 7]]).tolist() == [4, 7]


def test_dropout_is_of_the_hidden_neurons_after_their_activation():
    """If all are dropped, the bias of the output is left, whatever the image; and in forecasts none is dropped."""
    net = convolutional((2,), 6, nn.Sigmoid, dropout=1.0)
    nn.init.normal_(net[-1].bias)
    x = torch.randn(4, 64)
    assert torch.equal(net.train()(x), net[-1].bias.expand(4, 10)) and not torch.equal(
        net.eval()(x)[0], net[-1].bias
    )


def test_the_vote_is_compared_with_the_mean_of_its_members():
    ends = {rung: [0.9] for rung in question.TRAINED} | {"dropout": [0.8, 0.9]}
    rows = pd.DataFrame([
        {"seed": seed, "rung": rung, "member": i, "test_accuracy": value + 0.01 * seed}
        for seed in range(3) for rung, values in ends.items() for i, value in enumerate(values)
    ])  # fmt: skip
    votes = pd.DataFrame({"seed": range(3), "accuracy": [0.95, 0.96, 0.97]})
    found = {claim.name: claim for claim in question.claims({"rows": rows, "votes": votes})}
    assert found["vote_of_five"].value == pytest.approx(0.10) and found["vote_of_five"].holds()
    assert found["dropout"].value == pytest.approx(-0.05) and found["ReLU"].holds() is False
