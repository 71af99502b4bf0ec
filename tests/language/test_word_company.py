"""Guards reproduce/language/word_company.py: what the claims count, and which way the component points."""

import numpy as np
import pandas as pd

from reproduce.language import word_company


def rows(shift: int) -> pd.DataFrame:
    words = np.arange(40)
    one = {"word": words, "value": words / 40, "nearest": words + shift, "component": (words / 40) ** 3}
    return pd.concat([pd.DataFrame(one | {"seed": seed}) for seed in (0, 1)])


def test_two_buckets_are_near_and_three_are_not():
    for shift, near in ((2, 1.0), (-2, 1.0), (3, 0.0)):
        found = {claim.name: claim for claim in word_company.claims(rows(shift))}
        assert found["neighbours_are_near"].value == near
        assert found["component_is_the_value"].value == 1


def test_the_component_rises_from_the_first_to_the_last_word():
    measured = word_company.measure(word_company.SCALES["smoke"], "seed-0")
    assert measured["component"].iloc[-1] > measured["component"].iloc[0]
