"""Guards curvecast/curves/tuning_and_test.py: which side a group is on was settled once and stays."""

import pytest

from curvecast.curves.tuning_and_test import TEST_ONLY, side

NAMES = [f"made up/{i}" for i in range(4000)]


@pytest.mark.parametrize("source", ["adabelief_cifar10", "modded_nanogpt", "pythia"])
def test_three_sources_judge_alone(source):
    """None of their groups may be used for tuning."""
    assert source in TEST_ONLY and {side(source, name) for name in NAMES} == {"judge"}


@pytest.mark.parametrize(
    ("source", "group", "expected"),
    [
        ("algoperf", "librispeech_conformer/amos", "look"),
        ("deepobs", "cifar10_3c3d/AdamOptimizer", "judge"),
        ("taskset", "imdb_patch128_LSTM128_bs64", "look"),
        ("lcdb11", "openml-11", "judge"),
    ],
)
def test_nobody_rolls_the_dice_again(source, group, expected):
    """These were on these sides before the first fit."""
    assert side(source, group) == expected


def test_about_half_is_on_each_side():
    """Of many groups, within four standard errors; the side also depends on the source."""
    sides = [side("taskset", name) for name in NAMES]
    assert abs(sides.count("look") / len(NAMES) - 0.5) < 0.032
    other = [side("deepobs", name) for name in NAMES]
    same = sum(a == b for a, b in zip(sides, other, strict=True)) / len(NAMES)
    assert abs(same - 0.5) < 0.032
